/*
 * Walks the units of a module for the scopes around places of its code.
 */
#include "symbols/sites/scope_walk.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "symbols/dwarf/split_units.h"
#include "symbols/elf/list_bounds.h"
#include "symbols/sites/sites.h"

enum { DEPTH_MAX = 512 /* nested scopes; deeper is a corrupt file */ };

static uint64_t site_pc(const struct sym_scope_walk *walk, uint32_t index)
{
  return ((const struct sym_found_site *)base_vector_at(walk->sites, index))->pc;
}

/* The first site whose call lies at or after `address`: whose pc - 1 >= address. */
static uint32_t first_site(const struct sym_scope_walk *walk, uint64_t address)
{
  uint32_t low = 0, high = walk->sites->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (site_pc(walk, middle) - 1 < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether [low, high) holds a site. With `node`, each of them is given to it. */
static bool claim(struct sym_scope_walk *walk, uint64_t low, uint64_t high, uint32_t node)
{
  bool any = false;
  for (uint32_t i = first_site(walk, low); i < walk->sites->count && site_pc(walk, i) - 1 < high; i++) {
    any = true;
    if (node == FMT_NONE)
      break;
    walk->innermost[i] = node;
  }
  return any;
}

/* The same for all ranges of a DIE. */
static bool claim_ranges(struct sym_scope_walk *walk, Dwarf_Die *die, uint32_t node)
{
  Dwarf_Addr base, low, high;
  ptrdiff_t offset = 0;
  bool any = false;
  while ((offset = sym_ranges_next(die, offset, &base, &low, &high)) > 0)
    if (low < high)
      any |= claim(walk, low, high, node);
  return any;
}

static int add_node(struct sym_scope_walk *walk, Dwarf_Die *die, uint32_t parent, uint32_t *index)
{
  struct sym_scope *node = base_vector_add(&walk->nodes, 1);
  if (!node)
    return -ENOMEM;
  Dwarf_Attribute attribute;
  Dwarf_Word line;
  *index = walk->nodes.count - 1;
  *node = (struct sym_scope){.die = *die, .parent = parent};
  if (parent != FMT_NONE && dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) == 0)
    node->call_line = (uint32_t)line;
  return 0;
}

static int visit_children(struct sym_scope_walk *walk, Dwarf_Die *die, uint32_t node, unsigned depth);

/* A scope inside of a subprogram; `node` is FMT_NONE where that holds no site. A block without one may still hold a
 * class with functions of its own, as a lambda's. */
static int visit_scope(struct sym_scope_walk *walk, Dwarf_Die *die, uint32_t node, unsigned depth)
{
  if (node == FMT_NONE || !claim_ranges(walk, die, FMT_NONE))
    return walk->is_first || dwarf_tag(die) == DW_TAG_inlined_subroutine ? 0
                                                                         : visit_children(walk, die, FMT_NONE, depth);
  if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
    int error = add_node(walk, die, node, &node);
    if (error)
      return error;
    claim_ranges(walk, die, node);
  }
  return visit_children(walk, die, node, depth);
}

/* Notes the address that a subprogram is entered at. 1: an earlier unit has described the code there. Of a function
 * that several units compile (inline functions and templates of C++) the linker keeps the first unit's code alone, and
 * gives every unit's description its address when the code has the same size: only the first is of that code. */
static int enter(struct sym_scope_walk *walk, uint64_t entry)
{
  const uint32_t before = sym_address_map_get(&walk->entries, entry);
  if (before != UINT32_MAX && (walk->is_first || before + 1 != walk->visit))
    return 1;
  return sym_address_map_put(&walk->entries, entry, walk->visit);
}

/* What holds no site may yet have a function in it that does, of a class that is local to it. */
static int visit_without_site(struct sym_scope_walk *walk, Dwarf_Die *die, unsigned depth)
{
  return walk->is_first ? 0 : visit_children(walk, die, FMT_NONE, depth);
}

static int visit_subprogram(struct sym_scope_walk *walk, Dwarf_Die *die, unsigned depth)
{
  Dwarf_Addr base, low, high, entry;
  ptrdiff_t offset = 0;
  uint32_t first = walk->ranges->count;
  while ((offset = sym_ranges_next(die, offset, &base, &low, &high)) > 0) {
    /* Code that the linker dropped keeps a DIE at address 0. */
    if (low == 0 || low >= high)
      continue;
    struct sym_range *range = base_vector_add(walk->ranges, 1);
    if (!range)
      return -ENOMEM;
    *range = (struct sym_range){.low = low, .high = high, .die = *die};
  }
  if (walk->ranges->count == first)
    return visit_without_site(walk, die, depth);
  struct sym_range *ranges = base_vector_at(walk->ranges, first);
  if (dwarf_entrypc(die, &entry) != 0 || entry == 0)
    entry = ranges[0].low;
  int entered = enter(walk, entry);
  if (entered != 0) {
    walk->ranges->count = first;
    return entered < 0 ? entered : 0;
  }
  bool any = false;
  for (uint32_t i = 0; i < walk->ranges->count - first; i++) {
    ranges[i].entry = entry;
    any |= claim(walk, ranges[i].low, ranges[i].high, FMT_NONE);
  }
  if (!any)
    return visit_without_site(walk, die, depth);
  uint32_t node;
  int error = add_node(walk, die, FMT_NONE, &node);
  if (error)
    return error;
  claim_ranges(walk, die, node);
  return visit_children(walk, die, node, depth);
}

static int visit_children(struct sym_scope_walk *walk, Dwarf_Die *die, uint32_t node, unsigned depth)
{
  Dwarf_Die child;
  int error = 0;
  if (depth > DEPTH_MAX || dwarf_child(die, &child) != 0)
    return 0;
  do {
    switch (dwarf_tag(&child)) {
    case DW_TAG_subprogram:
      error = visit_subprogram(walk, &child, depth + 1);
      break;
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      error = visit_scope(walk, &child, node, depth + 1);
      break;
    case DW_TAG_namespace:
    case DW_TAG_module:
      error = visit_children(walk, &child, FMT_NONE, depth + 1);
      break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      error = visit_without_site(walk, &child, depth + 1);
      break;
    default:
      break;
    }
  } while (!error && sym_siblings_next(&walk->siblings, &child, &child) == 0);
  return error;
}

/* The unit says where its code is. */
static bool tells_code(Dwarf_Die *unit)
{
  Dwarf_Addr base, low, high;
  return sym_ranges_next(unit, 0, &base, &low, &high) > 0;
}

/* Has a site of the unit's code nothing around it yet? */
static bool lacks_site(const struct sym_scope_walk *walk, Dwarf_Die *unit)
{
  Dwarf_Addr base, low, high;
  ptrdiff_t offset = 0;
  while ((offset = sym_ranges_next(unit, offset, &base, &low, &high)) > 0)
    for (uint32_t i = first_site(walk, low); i < walk->sites->count && site_pc(walk, i) - 1 < high; i++)
      if (walk->innermost[i] == FMT_NONE)
        return true;
  return false;
}

/* Visits what is in `unit`; `content` is that, or what it is the skeleton of. For sites alone twice at most: first what
 * is no class, nor a function without one, and then, if there is a site yet that none of that holds, the rest. */
static int visit_unit(struct sym_scope_walk *walk, Dwarf_Die *unit, Dwarf_Die *content)
{
  const bool by_code = walk->for_sites && tells_code(unit);
  walk->visit += 2;
  if (by_code && !lacks_site(walk, unit))
    return 0;
  walk->is_first = by_code;
  int error = visit_children(walk, content, FMT_NONE, 0);
  if (error || !by_code || !lacks_site(walk, unit))
    return error;
  walk->is_first = false;
  walk->visit++;
  error = visit_children(walk, content, FMT_NONE, 0);
  walk->visit--;
  return error;
}

static int walk_units(struct sym_scope_walk *walk, Dwarf *dwarf)
{
  struct sym_unit unit = {0};
  int error = 0;
  while (!error && sym_unit_next(dwarf, &unit))
    error = visit_unit(walk, &unit.die, &unit.content);
  return error;
}

int sym_scope_walk_all(struct sym_scope_walk *walk, const struct sym_debugfile *file, const struct base_vector *sites,
                       struct base_vector *ranges, bool for_sites)
{
  *walk = (struct sym_scope_walk){
      .sites = sites, .nodes = BASE_VECTOR_OF(struct sym_scope), .ranges = ranges, .for_sites = for_sites};
  walk->innermost = malloc((sites->count + 1) * sizeof *walk->innermost);
  if (!walk->innermost)
    return -ENOMEM;
  for (uint32_t i = 0; i < sites->count; i++)
    walk->innermost[i] = FMT_NONE;
  return file->dwarf && sites->count ? walk_units(walk, file->dwarf) : 0;
}

void sym_scope_walk_free(struct sym_scope_walk *walk)
{
  base_vector_free(&walk->nodes);
  sym_address_map_free(&walk->entries);
  sym_siblings_free(&walk->siblings);
  free(walk->innermost);
}

int sym_scopes_around(const struct sym_debugfile *file, const struct base_vector *sites, struct base_vector *scopes,
                      uint32_t **innermost)
{
  struct base_vector ranges = BASE_VECTOR_OF(struct sym_range);
  struct sym_scope_walk walk;
  int error = sym_scope_walk_all(&walk, file, sites, &ranges, true);
  *scopes = (struct base_vector)BASE_VECTOR_OF(struct sym_scope);
  *innermost = NULL;
  if (!error) {
    *scopes = walk.nodes;
    *innermost = walk.innermost;
    walk.nodes = (struct base_vector)BASE_VECTOR_OF(struct sym_scope);
    walk.innermost = NULL;
  }
  base_vector_free(&ranges);
  sym_scope_walk_free(&walk);
  return error;
}
