/*
 * Finds the namespace or class that a DIE stands in, by one walk over each unit.
 */
#include "symbols/dwarf/scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct entry {
  void *addr; /* Dwarf_Die.addr, NULL for a free slot */
  Dwarf_Die parent;
};

struct sym_scopes {
  struct entry *slots;
  size_t slot_count, used;
  void **units; /* Dwarf_Die.addr of the unit DIEs already walked */
  size_t unit_count, unit_capacity;
  void *last_unit;
};

/* Deeper nesting than this is not source code but a corrupt file. */
enum { DEPTH_MAX = 256 };

struct sym_scopes *sym_scopes_new(void)
{
  return calloc(1, sizeof(struct sym_scopes));
}

void sym_scopes_free(struct sym_scopes *scopes)
{
  if (!scopes)
    return;
  free(scopes->slots);
  free(scopes->units);
  free(scopes);
}

static struct entry *find(struct entry *slots, size_t slot_count, void *addr)
{
  size_t mask = slot_count - 1;
  size_t at = ((uintptr_t)addr * 0x9E3779B97F4A7C15u >> 17) & mask;
  while (slots[at].addr && slots[at].addr != addr)
    at = (at + 1) & mask;
  return &slots[at];
}

static int insert(struct sym_scopes *scopes, void *addr, const Dwarf_Die *parent)
{
  if (scopes->used * 2 >= scopes->slot_count) {
    size_t count = scopes->slot_count ? scopes->slot_count * 2 : 1024;
    struct entry *slots = calloc(count, sizeof *slots);
    if (!slots)
      return -ENOMEM;
    for (size_t i = 0; i < scopes->slot_count; i++)
      if (scopes->slots[i].addr)
        *find(slots, count, scopes->slots[i].addr) = scopes->slots[i];
    free(scopes->slots);
    scopes->slots = slots;
    scopes->slot_count = count;
  }
  struct entry *slot = find(scopes->slots, scopes->slot_count, addr);
  if (!slot->addr) {
    slot->addr = addr;
    slot->parent = *parent;
    scopes->used++;
  }
  return 0;
}

static bool is_scope(int tag)
{
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

static bool has_scoped_name(int tag)
{
  switch (tag) {
  case DW_TAG_subprogram:
  case DW_TAG_enumeration_type:
  case DW_TAG_typedef:
  case DW_TAG_template_alias:
  case DW_TAG_base_type:
  case DW_TAG_variable:
  case DW_TAG_member:
    return true;
  default:
    return is_scope(tag);
  }
}

/* Records the children of `die`; `scope` is the innermost scope with a name that holds them, or NULL. */
static int walk(struct sym_scopes *scopes, Dwarf_Die *die, const Dwarf_Die *scope, int depth)
{
  Dwarf_Die child;
  if (depth > DEPTH_MAX || dwarf_child(die, &child) != 0)
    return 0;
  do {
    int tag = dwarf_tag(&child);
    if (scope && has_scoped_name(tag)) {
      int result = insert(scopes, child.addr, scope);
      if (result < 0)
        return result;
    }
    if (is_scope(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) {
      Dwarf_Die inner = child;
      int result = walk(scopes, &inner, is_scope(tag) ? &inner : NULL, depth + 1);
      if (result < 0)
        return result;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return 0;
}

static int walk_unit_of(struct sym_scopes *scopes, Dwarf_Die *die)
{
  Dwarf_Die unit;
  if (!dwarf_diecu(die, &unit, NULL, NULL))
    return 0;
  if (unit.addr == scopes->last_unit)
    return 0;
  scopes->last_unit = unit.addr;
  for (size_t i = 0; i < scopes->unit_count; i++)
    if (scopes->units[i] == unit.addr)
      return 0;
  if (scopes->unit_count == scopes->unit_capacity) {
    size_t capacity = scopes->unit_capacity ? scopes->unit_capacity * 2 : 64;
    void **units = realloc(scopes->units, capacity * sizeof *units);
    if (!units)
      return -ENOMEM;
    scopes->units = units;
    scopes->unit_capacity = capacity;
  }
  scopes->units[scopes->unit_count++] = unit.addr;
  return walk(scopes, &unit, NULL, 0);
}

int sym_scopes_parent(struct sym_scopes *scopes, Dwarf_Die *die, Dwarf_Die *parent)
{
  int result = walk_unit_of(scopes, die);
  if (result < 0)
    return result;
  if (!scopes->slot_count)
    return 0;
  struct entry *slot = find(scopes->slots, scopes->slot_count, die->addr);
  if (!slot->addr)
    return 0;
  *parent = slot->parent;
  return 1;
}
