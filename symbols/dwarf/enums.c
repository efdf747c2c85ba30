/*
 * Reads the enumerators of a type, and tells sets of flags from plain enumerations.
 */
#include "symbols/dwarf/enums.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "symbols/dwarf/die.h"

struct sym_enumerator_list {
  uint64_t hash;
  uint32_t first, count;
};

void sym_enumerators_free(struct sym_enumerators *enumerators)
{
  free(enumerators->entries);
  free(enumerators->lists);
  *enumerators = (struct sym_enumerators){0};
}

/* Values that stand for "as wide as the type" and say nothing of the others, such as X_FORCE_32BIT = 0x7fffffff. */
static bool is_sentinel(int64_t value, uint32_t size)
{
  return size == 4 && (value == INT32_MAX || value == UINT32_MAX);
}

bool sym_enumerators_are_flags(const struct fmt_index_enumerator *entries, uint32_t count, uint32_t size)
{
  uint64_t bits = 0;
  uint32_t singles = 0, others = 0, distinct = 0;
  int64_t lowest = 0, highest = 0;
  for (uint32_t i = 0; i < count; i++) {
    int64_t value = entries[i].value;
    if (is_sentinel(value, size) || (i > 0 && value == entries[i - 1].value))
      continue;
    if (value < 0)
      return false;
    if (distinct++ == 0)
      lowest = value;
    highest = value;
    if (__builtin_popcountll((uint64_t)value) == 1) {
      bits |= (uint64_t)value;
      singles++;
    } else if (value != 0) {
      others++;
    }
  }
  bool consecutive = distinct > 0 && (uint64_t)(highest - lowest) + 1 == distinct;
  if (singles < 2 || others >= singles || (consecutive && lowest <= 1))
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (!is_sentinel(entries[i].value, size) && ((uint64_t)entries[i].value & ~bits) != 0)
      return false;
  return true;
}

static int append(struct sym_enumerators *enumerators, int64_t value, uint32_t name)
{
  if (enumerators->count == enumerators->capacity) {
    if (enumerators->capacity > UINT32_MAX / 2)
      return -E2BIG;
    uint32_t capacity = enumerators->capacity ? enumerators->capacity * 2 : 256;
    struct fmt_index_enumerator *entries = realloc(enumerators->entries, capacity * sizeof *entries);
    if (!entries)
      return -ENOMEM;
    enumerators->entries = entries;
    enumerators->capacity = capacity;
  }
  enumerators->entries[enumerators->count++] = (struct fmt_index_enumerator){.value = value, .name = name};
  return 0;
}

/* The constant forms of fixed size are unsigned in every producer (gcc and clang write negative values as sdata). */
static bool read_value(Dwarf_Attribute *attribute, int64_t *value)
{
  Dwarf_Sword signed_value;
  Dwarf_Word unsigned_value;
  switch (dwarf_whatform(attribute)) {
  case DW_FORM_sdata:
  case DW_FORM_implicit_const:
    if (dwarf_formsdata(attribute, &signed_value) != 0)
      return false;
    *value = signed_value;
    return true;
  default:
    if (dwarf_formudata(attribute, &unsigned_value) != 0)
      return false;
    *value = (int64_t)unsigned_value;
    return true;
  }
}

/* Appends the enumerators of `type` in the order of the source. */
static int read_all(struct sym_enumerators *enumerators, struct base_strings *strings, Dwarf_Die *type)
{
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0)
    return 0;
  do {
    Dwarf_Attribute attribute;
    int64_t value;
    const char *text = dwarf_diename(&child);
    if (dwarf_tag(&child) != DW_TAG_enumerator || !text || !dwarf_attr(&child, DW_AT_const_value, &attribute) ||
        !read_value(&attribute, &value))
      continue;
    uint32_t name;
    int result = base_strings_add(strings, text, &name);
    if (result == 0)
      result = append(enumerators, value, name);
    if (result < 0)
      return result;
  } while (dwarf_siblingof(&child, &child) == 0);
  return 0;
}

/* By value, then in the order of the source, so that the first name given to a value is the one that is printed.
 * `reserved` holds that order while sorting. */
static int compare(const void *left, const void *right)
{
  const struct fmt_index_enumerator *a = left, *b = right;
  if (a->value != b->value)
    return a->value < b->value ? -1 : 1;
  return a->reserved < b->reserved ? -1 : 1;
}

static void sort(struct fmt_index_enumerator *entries, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    entries[i].reserved = i;
  if (count)
    qsort(entries, count, sizeof *entries, compare);
  for (uint32_t i = 0; i < count; i++)
    entries[i].reserved = 0;
}

/* Replaces the list from `first` to the end by an equal earlier one, when there is one. */
static int share(struct sym_enumerators *enumerators, uint32_t *first, uint32_t count)
{
  size_t bytes = count * sizeof *enumerators->entries;
  uint64_t hash = count ? XXH64(enumerators->entries + *first, bytes, 0) : 0;
  for (uint32_t i = 0; i < enumerators->list_count; i++) {
    const struct sym_enumerator_list *list = &enumerators->lists[i];
    if (list->hash == hash && list->count == count &&
        (!count || memcmp(enumerators->entries + list->first, enumerators->entries + *first, bytes) == 0)) {
      enumerators->count = *first;
      *first = list->first;
      return 0;
    }
  }
  if (enumerators->list_count == enumerators->list_capacity) {
    uint32_t capacity = enumerators->list_capacity ? enumerators->list_capacity * 2 : 32;
    struct sym_enumerator_list *lists = realloc(enumerators->lists, capacity * sizeof *lists);
    if (!lists)
      return -ENOMEM;
    enumerators->lists = lists;
    enumerators->list_capacity = capacity;
  }
  enumerators->lists[enumerators->list_count++] = (struct sym_enumerator_list){hash, *first, count};
  return 0;
}

/* The sign of the underlying type; without one, signed when a value is negative. */
static bool enum_is_signed(Dwarf_Die *type, const struct fmt_index_enumerator *entries, uint32_t count)
{
  Dwarf_Die base;
  Dwarf_Attribute attribute;
  Dwarf_Word encoding;
  if (sym_type_of(type, &base) && sym_type_strip(&base) && dwarf_attr_integrate(&base, DW_AT_encoding, &attribute) &&
      dwarf_formudata(&attribute, &encoding) == 0)
    return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  return count > 0 && entries[0].value < 0;
}

int sym_enumerators_describe(struct sym_enumerators *enumerators, struct base_strings *strings, Dwarf_Die *type,
                             struct fmt_index_type *entry)
{
  uint32_t first = enumerators->count;
  int result = read_all(enumerators, strings, type);
  if (result < 0)
    return result;
  uint32_t count = enumerators->count - first;
  /* There may be none at all, in this type and before it. */
  struct fmt_index_enumerator *entries = count ? enumerators->entries + first : NULL;
  sort(entries, count);
  entry->is_signed = enum_is_signed(type, entries, count);
  entry->kind = sym_enumerators_are_flags(entries, count, entry->size) ? FMT_TYPE_FLAGS : FMT_TYPE_ENUM;
  entry->enumerator_count = count;
  result = share(enumerators, &first, count);
  entry->first_enumerator = count ? first : 0;
  return result;
}
