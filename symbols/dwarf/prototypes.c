/*
 * Finds declarations by the symbol that code refers to.
 *
 * Compilers describe a function that a unit only calls by a declaration with its parameters' types. An asm label (the C
 * library's "read" behind a checking wrapper) is its linkage name.
 */
#include "symbols/dwarf/prototypes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/dwarf/split_units.h"

enum { DEPTH_MAX = 64 };

struct search {
  struct sym_prototype *prototypes;
  size_t count;
  bool is_of_definitions; /* bare ones, rather than declarations */
};

static bool has_flag(Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  bool flag;
  return dwarf_attr(die, name, &attribute) && dwarf_formflag(&attribute, &flag) == 0 && flag;
}

/* The first prototype of that symbol, or where it would be. */
static size_t first_of(const struct search *search, const char *symbol)
{
  size_t low = 0, high = search->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(search->prototypes[middle].symbol, symbol) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_wanted(const struct search *search, Dwarf_Die *die)
{
  const bool is_declaration = has_flag(die, DW_AT_declaration);
  if (search->is_of_definitions)
    return !is_declaration && !dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges) &&
           !dwarf_hasattr(die, DW_AT_abstract_origin);
  return is_declaration && (has_flag(die, DW_AT_prototyped) || sym_die_is_cxx(die));
}

static void look_at(const struct search *search, const struct sym_unit *unit, Dwarf_Die *die)
{
  if (!is_wanted(search, die))
    return;
  const char *linkage_name = sym_die_linkage_name(die), *symbol = linkage_name ? linkage_name : dwarf_diename(die);
  Dwarf_Die whole = unit->die;
  for (size_t i = symbol ? first_of(search, symbol) : search->count; i < search->count; i++) {
    struct sym_prototype *found = &search->prototypes[i];
    if (strcmp(found->symbol, symbol) != 0)
      return;
    if (found->is_known || (found->code && dwarf_haspc(&whole, found->code) <= 0))
      continue;
    found->die = *die;
    found->is_known = true;
  }
}

static void walk(const struct search *search, const struct sym_unit *unit, Dwarf_Die *scope, unsigned depth)
{
  Dwarf_Die child;
  if (depth > DEPTH_MAX || dwarf_child(scope, &child) != 0)
    return;
  do {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram)
      look_at(search, unit, &child);
    else if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type)
      walk(search, unit, &child, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

static void find(Dwarf *dwarf, const struct search *search)
{
  struct sym_unit unit = {0};
  while (search->count && sym_unit_next(dwarf, &unit))
    walk(search, &unit, &unit.content, 0);
}

void sym_prototypes_find(Dwarf *dwarf, struct sym_prototype *prototypes, size_t count)
{
  find(dwarf, &(struct search){prototypes, count, false});
}

void sym_bare_definitions_find(Dwarf *dwarf, struct sym_prototype *prototypes, size_t count)
{
  find(dwarf, &(struct search){prototypes, count, true});
}
