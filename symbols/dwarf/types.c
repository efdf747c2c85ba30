/*
 * The table of an index's types: each kept once, by content.
 */
#include "symbols/dwarf/types.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "symbols/dwarf/die.h"
#include "symbols/dwarf/enums.h"
#include "symbols/dwarf/scopes.h"
#include "symbols/dwarf/typename.h"

struct die_slot {
  void *addr; /* Dwarf_Die.addr, NULL for a free slot */
  uint32_t type;
};

struct sym_types {
  struct base_strings *strings;
  struct sym_scopes *scopes;
  struct base_arena arena; /* qualified names */
  struct fmt_index_type *entries;
  uint32_t *next; /* of each entry: the next one of the same hash, FMT_NONE at the end */
  uint32_t count, capacity;
  uint32_t *buckets; /* FMT_NONE for none */
  uint32_t bucket_count;
  struct sym_enumerators enumerators;
  struct die_slot *dies;
  size_t die_slots, die_count;
};

/* Longer chains of typedefs, pointers or arrays than this are not source code but a corrupt file. */
enum { CHAIN_MAX = 64 };

struct sym_types *sym_types_new(struct base_strings *strings)
{
  struct sym_types *types = calloc(1, sizeof *types);
  if (!types)
    return NULL;
  types->strings = strings;
  types->scopes = sym_scopes_new();
  types->bucket_count = 256;
  types->buckets = malloc(types->bucket_count * sizeof *types->buckets);
  if (!types->scopes || !types->buckets) {
    sym_types_free(types);
    return NULL;
  }
  memset(types->buckets, 0xff, types->bucket_count * sizeof *types->buckets);
  return types;
}

void sym_types_free(struct sym_types *types)
{
  if (!types)
    return;
  sym_scopes_free(types->scopes);
  base_arena_free(&types->arena);
  sym_enumerators_free(&types->enumerators);
  free(types->entries);
  free(types->next);
  free(types->buckets);
  free(types->dies);
  free(types);
}

static uint32_t bucket_of(const struct sym_types *types, const struct fmt_index_type *entry)
{
  return (uint32_t)XXH64(entry, sizeof *entry, 0) & (types->bucket_count - 1);
}

static int grow(struct sym_types *types)
{
  uint32_t capacity = types->capacity ? types->capacity * 2 : 128;
  struct fmt_index_type *entries = realloc(types->entries, capacity * sizeof *entries);
  if (!entries)
    return -ENOMEM;
  types->entries = entries;
  uint32_t *next = realloc(types->next, capacity * sizeof *next);
  if (!next)
    return -ENOMEM;
  types->next = next;
  uint32_t *buckets = realloc(types->buckets, capacity * 2 * sizeof *buckets);
  if (!buckets)
    return -ENOMEM;
  types->buckets = buckets;
  types->capacity = capacity;
  types->bucket_count = capacity * 2;
  memset(buckets, 0xff, types->bucket_count * sizeof *buckets);
  for (uint32_t i = 0; i < types->count; i++) {
    uint32_t bucket = bucket_of(types, &types->entries[i]);
    next[i] = buckets[bucket];
    buckets[bucket] = i;
  }
  return 0;
}

/* The entry equal to `wanted`, made when there is none. */
static int intern(struct sym_types *types, const struct fmt_index_type *wanted, uint32_t *type)
{
  for (uint32_t i = types->buckets[bucket_of(types, wanted)]; i != FMT_NONE; i = types->next[i]) {
    if (memcmp(&types->entries[i], wanted, sizeof *wanted) == 0) {
      *type = i;
      return 0;
    }
  }
  if (types->count == types->capacity) {
    int result = grow(types);
    if (result < 0)
      return result;
  }
  uint32_t bucket = bucket_of(types, wanted);
  types->entries[types->count] = *wanted;
  types->next[types->count] = types->buckets[bucket];
  types->buckets[bucket] = types->count;
  *type = types->count++;
  return 0;
}

static struct die_slot *find_die(struct die_slot *slots, size_t slot_count, void *addr)
{
  size_t at = ((uintptr_t)addr * 0x9E3779B97F4A7C15u >> 17) & (slot_count - 1);
  while (slots[at].addr && slots[at].addr != addr)
    at = (at + 1) & (slot_count - 1);
  return &slots[at];
}

static int remember_die(struct sym_types *types, void *addr, uint32_t type)
{
  if (types->die_count * 2 >= types->die_slots) {
    size_t slot_count = types->die_slots ? types->die_slots * 2 : 512;
    struct die_slot *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
      return -ENOMEM;
    for (size_t i = 0; i < types->die_slots; i++)
      if (types->dies[i].addr)
        *find_die(slots, slot_count, types->dies[i].addr) = types->dies[i];
    free(types->dies);
    types->dies = slots;
    types->die_slots = slot_count;
  }
  struct die_slot *slot = find_die(types->dies, types->die_slots, addr);
  types->die_count += !slot->addr;
  *slot = (struct die_slot){addr, type};
  return 0;
}

/* What a base type's values are. Only plain "char" is text: int8_t and uint8_t are made of signed and unsigned char. */
static void describe_base(Dwarf_Die *base, struct fmt_index_type *entry)
{
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  if (!dwarf_attr_integrate(base, DW_AT_encoding, &attribute) || dwarf_formudata(&attribute, &encoding) != 0)
    return;
  const char *name = dwarf_diename(base);
  bool is_char = name && strcmp(name, "char") == 0;
  switch (encoding) {
  case DW_ATE_boolean:
    entry->kind = FMT_TYPE_BOOL;
    break;
  case DW_ATE_signed_char:
    entry->kind = is_char ? FMT_TYPE_CHAR : FMT_TYPE_SIGNED;
    entry->is_signed = 1;
    break;
  case DW_ATE_signed:
    entry->kind = FMT_TYPE_SIGNED;
    entry->is_signed = 1;
    break;
  case DW_ATE_unsigned_char:
    entry->kind = is_char ? FMT_TYPE_CHAR : FMT_TYPE_UNSIGNED;
    break;
  case DW_ATE_unsigned:
  case DW_ATE_UTF:
    entry->kind = FMT_TYPE_UNSIGNED;
    break;
  case DW_ATE_float:
    entry->kind = FMT_TYPE_FLOAT;
    break;
  default:
    entry->kind = FMT_TYPE_OTHER;
    break;
  }
}

static int add(struct sym_types *types, Dwarf_Die *die, int depth, uint32_t *type);

/* Fills the target of a pointer, reference or array. A pointer to a function becomes FMT_TYPE_FUNCTION_POINTER, which
 * has no target. */
static int describe_target(struct sym_types *types, Dwarf_Die *type, int depth, struct fmt_index_type *entry)
{
  Dwarf_Die target;
  if (!sym_type_of(type, &target))
    return add(types, NULL, depth + 1, &entry->target);
  Dwarf_Die stripped = target;
  if (sym_type_strip(&stripped) && dwarf_tag(&stripped) == DW_TAG_subroutine_type && entry->kind == FMT_TYPE_POINTER) {
    entry->kind = FMT_TYPE_FUNCTION_POINTER;
    return 0;
  }
  return add(types, &target, depth + 1, &entry->target);
}

/* Everything but the name. `type` is stripped. */
static int describe(struct sym_types *types, Dwarf_Die *type, int depth, struct fmt_index_type *entry)
{
  entry->size = sym_type_size(type);
  switch (dwarf_tag(type)) {
  case DW_TAG_base_type:
    describe_base(type, entry);
    return 0;
  case DW_TAG_enumeration_type:
    return sym_enumerators_describe(&types->enumerators, types->strings, type, entry);
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
    entry->kind = FMT_TYPE_POINTER;
    return describe_target(types, type, depth, entry);
  case DW_TAG_array_type: {
    Dwarf_Attribute attribute;
    entry->kind = dwarf_attr(type, DW_AT_GNU_vector, &attribute) ? FMT_TYPE_OTHER : FMT_TYPE_ARRAY;
    return describe_target(types, type, depth, entry);
  }
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    entry->kind = FMT_TYPE_AGGREGATE;
    return 0;
  default:
    entry->kind = FMT_TYPE_OTHER;
    return 0;
  }
}

static int add_unknown(struct sym_types *types, uint32_t *type)
{
  struct fmt_index_type entry = {.kind = FMT_TYPE_UNKNOWN, .target = FMT_NONE};
  int result = base_strings_add(types->strings, "?", &entry.name);
  return result < 0 ? result : intern(types, &entry, type);
}

static int add_void(struct sym_types *types, uint32_t *type)
{
  struct fmt_index_type entry = {.kind = FMT_TYPE_VOID, .target = FMT_NONE};
  int result = base_strings_add(types->strings, "void", &entry.name);
  return result < 0 ? result : intern(types, &entry, type);
}

static int add_new(struct sym_types *types, Dwarf_Die *die, int depth, uint32_t *type)
{
  struct fmt_index_type entry = {.kind = FMT_TYPE_UNKNOWN, .target = FMT_NONE};
  Dwarf_Die stripped = *die;
  int result = 0;
  if (!sym_type_strip(&stripped))
    entry.kind = FMT_TYPE_VOID;
  else
    result = describe(types, &stripped, depth, &entry);
  if (result < 0)
    return result;
  struct base_arena scratch = {0};
  const char *name = sym_typename(&scratch, types->scopes, die);
  result = name ? base_strings_add(types->strings, name, &entry.name) : -ENOMEM;
  base_arena_free(&scratch);
  return result < 0 ? result : intern(types, &entry, type);
}

static int add(struct sym_types *types, Dwarf_Die *die, int depth, uint32_t *type)
{
  if (!die)
    return add_void(types, type);
  if (dwarf_tag(die) == DW_TAG_invalid || depth > CHAIN_MAX)
    return add_unknown(types, type);
  if (types->die_slots) {
    const struct die_slot *slot = find_die(types->dies, types->die_slots, die->addr);
    if (slot->addr) {
      *type = slot->type;
      return 0;
    }
  }
  int result = add_new(types, die, depth, type);
  return result < 0 ? result : remember_die(types, die->addr, *type);
}

int sym_types_add(struct sym_types *types, Dwarf_Die *die, uint32_t *type)
{
  return add(types, die, 0, type);
}

int sym_types_add_array(struct sym_types *types, uint32_t element, uint64_t count, uint32_t *type)
{
  struct fmt_index_type entry = {.kind = FMT_TYPE_ARRAY, .target = element};
  uint64_t size = types->entries[element].size * count;
  entry.size = size <= UINT32_MAX ? (uint32_t)size : 0;
  struct base_arena scratch = {0};
  const char *name = base_arena_printf(
      &scratch, "%s[%llu]", base_strings_at(types->strings, types->entries[element].name), (unsigned long long)count);
  int result = name ? base_strings_add(types->strings, name, &entry.name) : -ENOMEM;
  base_arena_free(&scratch);
  return result < 0 ? result : intern(types, &entry, type);
}

int sym_types_add_pointer(struct sym_types *types, uint32_t target, uint32_t *type)
{
  struct fmt_index_type entry = {.kind = FMT_TYPE_POINTER, .size = sizeof(uint64_t), .target = target};
  struct base_arena scratch = {0};
  const char *name = base_arena_printf(&scratch, "%s*", base_strings_at(types->strings, types->entries[target].name));
  int result = name ? base_strings_add(types->strings, name, &entry.name) : -ENOMEM;
  base_arena_free(&scratch);
  return result < 0 ? result : intern(types, &entry, type);
}

int sym_types_add_difference(struct sym_types *types, uint32_t *type)
{
  struct fmt_index_type entry = {.kind = FMT_TYPE_SIGNED, .size = 8};
  int result = base_strings_add(types->strings, "ptrdiff_t", &entry.name);
  return result < 0 ? result : intern(types, &entry, type);
}

int sym_types_add_renamed(struct sym_types *types, uint32_t type, const char *name, uint32_t *renamed)
{
  struct fmt_index_type entry = types->entries[type];
  int result = base_strings_add(types->strings, name, &entry.name);
  return result < 0 ? result : intern(types, &entry, renamed);
}

const char *sym_types_qualified_name(struct sym_types *types, Dwarf_Die *die)
{
  return sym_typename_qualified(&types->arena, types->scopes, die);
}

const struct fmt_index_type *sym_types_at(const struct sym_types *types, uint32_t type)
{
  return &types->entries[type];
}

const struct fmt_index_type *sym_types_entries(const struct sym_types *types, uint32_t *count)
{
  *count = types->count;
  return types->entries;
}

const struct fmt_index_enumerator *sym_types_enumerators(const struct sym_types *types, uint32_t *count)
{
  *count = types->enumerators.count;
  return types->enumerators.entries;
}
