/*
 * Finds the namespace, class or function that a DIE stands in, on the way from its unit down to it.
 */
#include "symbols/dwarf/scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/vector.h"
#include "format/index.h"
#include "symbols/base/addressmap.h"
#include "symbols/dwarf/siblings.h"

/* A DIE with children that others may stand in: a unit, a scope, or what a class may stand in that is local to it.
 * Those in it have numbers in a row. */
struct holder {
  Dwarf_Die die;
  const void *end; /* where the DIE behind it begins, NULL: it is the last in its own holder */
  uint32_t scope;  /* the holder that what stands directly in this one has in its name: this one, of a block what is
                    * around it, FMT_NONE of a unit */
  bool is_read;    /* these are known: */
  uint32_t first, count;
};

struct sym_scopes {
  struct base_vector holders;     /* struct holder */
  struct sym_address_map units;   /* Dwarf_Die.addr of a unit's DIE -> its holder */
  struct sym_address_map parents; /* that of a DIE that stands in a scope -> the scope's holder */
  struct sym_siblings siblings;
};

/* Deeper nesting than this is not source code but a corrupt file. */
enum { DEPTH_MAX = 256 };

struct sym_scopes *sym_scopes_new(void)
{
  struct sym_scopes *scopes = malloc(sizeof *scopes);
  if (scopes)
    *scopes = (struct sym_scopes){.holders = BASE_VECTOR_OF(struct holder)};
  return scopes;
}

void sym_scopes_free(struct sym_scopes *scopes)
{
  if (!scopes)
    return;
  base_vector_free(&scopes->holders);
  sym_address_map_free(&scopes->units);
  sym_address_map_free(&scopes->parents);
  sym_siblings_free(&scopes->siblings);
  free(scopes);
}

static struct holder *holder_at(const struct sym_scopes *scopes, uint32_t number)
{
  return base_vector_at(&scopes->holders, number);
}

static bool is_scope(int tag)
{
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

/* Whether what has this tag has a name that begins with the scope it stands directly in. In a function only types do: a
 * function there is declared again, and is another scope's. */
static bool has_scoped_name(int tag, bool is_in_function)
{
  switch (tag) {
  case DW_TAG_enumeration_type:
  case DW_TAG_typedef:
    return true;
  case DW_TAG_subprogram:
  case DW_TAG_template_alias:
  case DW_TAG_base_type:
  case DW_TAG_variable:
  case DW_TAG_member:
    return !is_in_function;
  default:
    return is_scope(tag);
  }
}

static bool holds_others(Dwarf_Die *die)
{
  const int tag = dwarf_tag(die);
  return (is_scope(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) && dwarf_haschildren(die) == 1;
}

/* Adds a holder; `outer` is the scope that it stands in itself. */
static int add_holder(struct sym_scopes *scopes, Dwarf_Die *die, uint32_t outer, uint32_t *number)
{
  const int tag = dwarf_tag(die);
  struct holder *added = base_vector_add(&scopes->holders, 1);
  if (!added)
    return -ENOMEM;
  *number = scopes->holders.count - 1;
  *added = (struct holder){.die = *die, .scope = is_scope(tag) || tag == DW_TAG_subprogram ? *number : outer};
  return 0;
}

/* Finds what stands directly in a holder. */
static int read_holder(struct sym_scopes *scopes, uint32_t number)
{
  Dwarf_Die die = holder_at(scopes, number)->die, child;
  const uint32_t scope = holder_at(scopes, number)->scope;
  const bool is_in_function = !is_scope(dwarf_tag(&die));
  const uint32_t first = scopes->holders.count;
  uint32_t last = FMT_NONE; /* the holder whose end is not known yet */
  int error = 0, more = dwarf_child(&die, &child);
  while (!error && more == 0) {
    if (last != FMT_NONE)
      holder_at(scopes, last)->end = child.addr;
    last = FMT_NONE;
    if (scope != FMT_NONE && has_scoped_name(dwarf_tag(&child), is_in_function))
      error = sym_address_map_put(&scopes->parents, (uintptr_t)child.addr, scope);
    if (!error && holds_others(&child))
      error = add_holder(scopes, &child, scope, &last);
    more = sym_siblings_next(&scopes->siblings, &child, &child);
  }
  struct holder *holder = holder_at(scopes, number);
  holder->is_read = !error;
  holder->first = first;
  holder->count = scopes->holders.count - first;
  return error;
}

/* The holder in `number`, which is read, that the DIE at `addr` stands somewhere in; FMT_NONE: in none. */
static uint32_t holder_around(const struct sym_scopes *scopes, uint32_t number, const void *addr)
{
  const struct holder *all = holder_at(scopes, number);
  uint32_t low = all->first, high = low + all->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if ((uintptr_t)holder_at(scopes, middle)->die.addr < (uintptr_t)addr)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == all->first)
    return FMT_NONE;
  const void *end = holder_at(scopes, low - 1)->end;
  return !end || (uintptr_t)addr < (uintptr_t)end ? low - 1 : FMT_NONE;
}

static int unit_of(struct sym_scopes *scopes, Dwarf_Die *die, uint32_t *number)
{
  Dwarf_Die unit;
  *number = FMT_NONE;
  if (!dwarf_diecu(die, &unit, NULL, NULL))
    return 0;
  *number = sym_address_map_get(&scopes->units, (uintptr_t)unit.addr);
  if (*number != FMT_NONE)
    return 0;
  const int error = add_holder(scopes, &unit, FMT_NONE, number);
  return error ? error : sym_address_map_put(&scopes->units, (uintptr_t)unit.addr, *number);
}

int sym_scopes_parent(struct sym_scopes *scopes, Dwarf_Die *die, Dwarf_Die *parent)
{
  uint32_t scope = sym_address_map_get(&scopes->parents, (uintptr_t)die->addr), number;
  int error = scope == FMT_NONE ? unit_of(scopes, die, &number) : 0;
  for (int depth = 0; !error && scope == FMT_NONE && number != FMT_NONE && depth <= DEPTH_MAX; depth++) {
    error = holder_at(scopes, number)->is_read ? 0 : read_holder(scopes, number);
    if (error)
      break;
    scope = sym_address_map_get(&scopes->parents, (uintptr_t)die->addr);
    number = holder_around(scopes, number, die->addr);
  }
  if (error)
    return error;
  if (scope == FMT_NONE)
    return 0;
  *parent = holder_at(scopes, scope)->die;
  return 1;
}
