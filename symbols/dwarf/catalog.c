/*
 * Lists the names of a module's functions and types, and finds the nearest to a name that does not exist.
 */
#include "symbols/dwarf/catalog.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbols/base/identifier_words.h"
#include "symbols/dwarf/die.h"
#include "symbols/dwarf/split_units.h"

enum { DEPTH_MAX = 64, KINDS = 3 };

struct list {
  struct sym_catalog_entry *entries;
  size_t count, capacity;
};

struct sym_catalog {
  Dwarf *dwarf;
  bool is_read;
  struct base_arena arena; /* names with scopes */
  struct list lists[KINDS];
};

struct sym_catalog *sym_catalog_new(Dwarf *dwarf)
{
  struct sym_catalog *catalog = calloc(1, sizeof *catalog);
  if (catalog)
    catalog->dwarf = dwarf;
  return catalog;
}

void sym_catalog_free(struct sym_catalog *catalog)
{
  if (!catalog)
    return;
  for (int i = 0; i < KINDS; i++)
    free(catalog->lists[i].entries);
  base_arena_free(&catalog->arena);
  free(catalog);
}

static int add(struct sym_catalog *catalog, enum sym_catalog_kind kind, Dwarf_Die *die, const char *name)
{
  struct list *list = &catalog->lists[kind];
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 256;
    struct sym_catalog_entry *entries = realloc(list->entries, capacity * sizeof *entries);
    if (!entries)
      return -ENOMEM;
    list->entries = entries;
    list->capacity = capacity;
  }
  Dwarf_Attribute attribute;
  list->entries[list->count++] = (struct sym_catalog_entry){
      .name = name,
      .die = *die,
      .kind = (unsigned char)kind,
      .is_declaration = dwarf_attr(die, DW_AT_declaration, &attribute) != NULL,
  };
  return 0;
}

static bool kind_of(int tag, enum sym_catalog_kind *kind)
{
  switch (tag) {
  case DW_TAG_subprogram:
    *kind = SYM_CATALOG_FUNCTION;
    return true;
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
  case DW_TAG_enumeration_type:
  case DW_TAG_typedef:
    *kind = SYM_CATALOG_TYPE;
    return true;
  case DW_TAG_base_type:
    *kind = SYM_CATALOG_BASIC;
    return true;
  default:
    return false;
  }
}

static int walk(struct sym_catalog *catalog, Dwarf_Die *scope, const char *prefix, int depth)
{
  Dwarf_Die child;
  if (depth > DEPTH_MAX || dwarf_child(scope, &child) != 0)
    return 0;
  do {
    int tag = dwarf_tag(&child);
    const char *name = dwarf_diename(&child);
    enum sym_catalog_kind kind;
    const char *full = name && *prefix ? base_arena_printf(&catalog->arena, "%s::%s", prefix, name) : name;
    if (name && !full)
      return -ENOMEM;
    if (name && kind_of(tag, &kind)) {
      int result = add(catalog, kind, &child, full);
      if (result < 0)
        return result;
    }
    bool is_scope = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (is_scope && sym_die_is_cxx(&child)) {
      Dwarf_Die inner = child;
      int result = walk(catalog, &inner, full ? full : prefix, depth + 1);
      if (result < 0)
        return result;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return 0;
}

static int compare(const void *left, const void *right)
{
  const struct sym_catalog_entry *a = left, *b = right;
  return strcmp(a->name, b->name);
}

static int read_units(struct sym_catalog *catalog)
{
  if (catalog->is_read)
    return 0;
  struct sym_unit unit = {0};
  while (sym_unit_next(catalog->dwarf, &unit)) {
    int result = walk(catalog, &unit.content, "", 0);
    if (result < 0)
      return result;
  }
  for (int i = 0; i < KINDS; i++)
    if (catalog->lists[i].count)
      qsort(catalog->lists[i].entries, catalog->lists[i].count, sizeof *catalog->lists[i].entries, compare);
  catalog->is_read = true;
  return 0;
}

int sym_catalog_all(struct sym_catalog *catalog, enum sym_catalog_kind kind, const struct sym_catalog_entry **entries,
                    size_t *count)
{
  int result = read_units(catalog);
  *entries = catalog->lists[kind].entries;
  *count = catalog->lists[kind].count;
  return result;
}

int sym_catalog_find(struct sym_catalog *catalog, enum sym_catalog_kind kind, const char *name,
                     const struct sym_catalog_entry **entries, size_t *count)
{
  const struct sym_catalog_entry *all;
  size_t all_count;
  int result = sym_catalog_all(catalog, kind, &all, &all_count);
  size_t low = 0, high = all_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(all[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  size_t end = low;
  while (end < all_count && strcmp(all[end].name, name) == 0)
    end++;
  *count = end - low;
  *entries = *count > 0 ? &all[low] : NULL;
  return result;
}

int sym_catalog_nearest(struct sym_catalog *catalog, enum sym_catalog_kind kind, const char *name, const char **nearest)
{
  const struct sym_catalog_entry *all;
  size_t count, best = (size_t)-1;
  int result = sym_catalog_all(catalog, kind, &all, &count);
  *nearest = NULL;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && strcmp(all[i].name, all[i - 1].name) == 0)
      continue;
    size_t distance = sym_edit_distance(name, all[i].name);
    if (distance < best) {
      best = distance;
      *nearest = all[i].name;
    }
  }
  return result;
}

int sym_catalog_complete(struct sym_catalog *catalog, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  sym_type_complete(type);
  if (!dwarf_attr(type, DW_AT_declaration, &attribute))
    return 0;
  const char *name = dwarf_diename(type);
  const struct sym_catalog_entry *entries = NULL;
  size_t count = 0;
  int result = name ? sym_catalog_find(catalog, SYM_CATALOG_TYPE, name, &entries, &count) : 0;
  for (size_t i = 0; i < count; i++) {
    Dwarf_Die candidate = entries[i].die;
    if (!entries[i].is_declaration && dwarf_tag(&candidate) == dwarf_tag(type)) {
      *type = candidate;
      break;
    }
  }
  return result;
}
