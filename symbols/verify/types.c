/*
 * Types as libdwarf reads them, compared with those of the index.
 */
#include "symbols/verify/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/verify/die.h"

enum { CHAIN_MAX = 64, SPELL_MAX = 32, TARGETS_MAX = 8 };

static bool is_qualifier(Dwarf_Half tag)
{
  return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
         tag == DW_TAG_atomic_type || tag == DW_TAG_packed_type || tag == DW_TAG_shared_type ||
         tag == DW_TAG_immutable_type;
}

/* The DIE of DW_AT_type behind qualifiers, and with `typedefs` behind those too; NULL for void. */
static Dwarf_Die peeled(Dwarf_Debug dbg, Dwarf_Die die, bool typedefs)
{
  Dwarf_Die type = vf_reference(dbg, die, DW_AT_type);
  for (int i = 0; type && i < CHAIN_MAX; i++) {
    Dwarf_Half tag = vf_tag(type);
    bool is_typedef = tag == DW_TAG_typedef || tag == DW_TAG_template_alias;
    if (!is_qualifier(tag) && !(typedefs && is_typedef))
      break;
    type = vf_reference(dbg, type, DW_AT_type);
  }
  return type;
}

/* What stands before and after a declared name: "int (*" and ")(int)". */
struct spelling {
  const char *before, *after;
};

struct speller {
  struct vf_module *module;
  struct vf_object *object;
};

static struct spelling spell(struct speller *speller, Dwarf_Die type, int depth);

static const char *text(struct speller *speller, const char *format, const char *a, const char *b)
{
  const char *out = base_arena_printf(&speller->module->arena, format, a, b);
  return out ? out : "";
}

static const char *whole(struct speller *speller, Dwarf_Die type, int depth)
{
  struct spelling spelling = spell(speller, type, depth);
  return text(speller, "%s%s", spelling.before, spelling.after);
}

static const char *keyword_of(Dwarf_Half tag)
{
  switch (tag) {
  case DW_TAG_structure_type:
    return "struct";
  case DW_TAG_class_type:
    return "class";
  case DW_TAG_union_type:
    return "union";
  case DW_TAG_enumeration_type:
    return "enum";
  default:
    return NULL;
  }
}

static const char *spell_name(struct speller *speller, Dwarf_Die type)
{
  Dwarf_Debug dbg = speller->object->dbg;
  const char *keyword = keyword_of(vf_tag(type));
  type = vf_complete(dbg, type);
  if (!vf_name(type))
    return keyword ? text(speller, "%s {...}%s", keyword, "") : "?";
  const char *name = vf_qualified(speller->module, speller->object, type);
  if (!name)
    return "";
  return keyword && !vf_is_cxx(dbg, type) ? text(speller, "%s %s", keyword, name) : name;
}

/* "*" before; parentheses around it when what is pointed to has something after. */
static struct spelling spell_pointer(struct speller *speller, Dwarf_Die type, const char *mark, int depth)
{
  Dwarf_Die target = peeled(speller->object->dbg, type, false);
  struct spelling inner = spell(speller, target, depth + 1);
  Dwarf_Half tag = target ? vf_tag(target) : 0;
  if (tag != DW_TAG_array_type && tag != DW_TAG_subroutine_type)
    return (struct spelling){text(speller, "%s%s", inner.before, mark), inner.after};
  size_t length = strlen(inner.before);
  char last = length ? inner.before[length - 1] : ' ';
  bool is_declarator = last == '(' || last == '*' || last == '&';
  const char *before = text(speller, is_declarator ? "%s(%s" : "%s (%s", inner.before, mark);
  return (struct spelling){before, text(speller, ")%s%s", inner.after, "")};
}

static struct spelling spell_member_pointer(struct speller *speller, Dwarf_Die type, int depth)
{
  Dwarf_Debug dbg = speller->object->dbg;
  Dwarf_Die class = vf_reference(dbg, type, DW_AT_containing_type), target = peeled(dbg, type, false);
  const char *name = class ? vf_qualified(speller->module, speller->object, class) : "?";
  struct spelling inner = spell(speller, target, depth + 1);
  if (target && vf_tag(target) == DW_TAG_subroutine_type) {
    const char *before = text(speller, "%s (%s::*", inner.before, name);
    return (struct spelling){before, text(speller, ")%s%s", inner.after, "")};
  }
  return (struct spelling){text(speller, "%s %s::*", inner.before, name), inner.after};
}

static struct spelling spell_array(struct speller *speller, Dwarf_Die type, int depth)
{
  Dwarf_Debug dbg = speller->object->dbg;
  struct spelling element = spell(speller, peeled(dbg, type, false), depth + 1);
  const char *bounds = "";
  for (Dwarf_Die child = vf_child(type); child; child = vf_sibling(dbg, child)) {
    uint64_t count = 0;
    char number[32] = "";
    if (vf_tag(child) != DW_TAG_subrange_type && vf_tag(child) != DW_TAG_enumeration_type)
      continue;
    if (vf_unsigned(child, DW_AT_count, &count))
      snprintf(number, sizeof number, "%llu", (unsigned long long)count);
    else if (vf_unsigned(child, DW_AT_upper_bound, &count))
      snprintf(number, sizeof number, "%llu", (unsigned long long)count + 1);
    bounds = text(speller, "%s[%s]", bounds, number);
  }
  return (struct spelling){element.before, text(speller, *bounds ? "%s%s" : "[]%s%s", bounds, element.after)};
}

static struct spelling spell_function(struct speller *speller, Dwarf_Die type, int depth)
{
  Dwarf_Debug dbg = speller->object->dbg;
  bool is_cxx = vf_is_cxx(dbg, type);
  struct spelling result = spell(speller, peeled(dbg, type, false), depth + 1);
  const char *list = "";
  for (Dwarf_Die child = vf_child(type); child; child = vf_sibling(dbg, child)) {
    const char *one;
    if (vf_tag(child) == DW_TAG_unspecified_parameters)
      one = "...";
    else if (vf_tag(child) == DW_TAG_formal_parameter && !vf_has(child, DW_AT_artificial))
      one = whole(speller, peeled(dbg, child, false), depth + 1);
    else
      continue;
    list = *list ? text(speller, "%s, %s", list, one) : one;
  }
  if (!*list && !is_cxx && vf_has(type, DW_AT_prototyped))
    list = "void";
  return (struct spelling){result.before, text(speller, "(%s)%s", list, result.after)};
}

static struct spelling spell(struct speller *speller, Dwarf_Die type, int depth)
{
  if (!type)
    return (struct spelling){"void", ""};
  if (depth > SPELL_MAX)
    return (struct spelling){"...", ""};
  switch (vf_tag(type)) {
  case DW_TAG_pointer_type:
    return spell_pointer(speller, type, "*", depth);
  case DW_TAG_reference_type:
    return spell_pointer(speller, type, "&", depth);
  case DW_TAG_rvalue_reference_type:
    return spell_pointer(speller, type, "&&", depth);
  case DW_TAG_ptr_to_member_type:
    return spell_member_pointer(speller, type, depth);
  case DW_TAG_array_type:
    return spell_array(speller, type, depth);
  case DW_TAG_subroutine_type:
    return spell_function(speller, type, depth);
  default:
    return (struct spelling){spell_name(speller, type), ""};
  }
}

/* The bytes of a value of the type, 0 when unknown. */
static uint64_t size_of(Dwarf_Debug dbg, Dwarf_Die type, int depth)
{
  uint64_t size = 0;
  if (!type || depth > CHAIN_MAX)
    return 0;
  type = vf_complete(dbg, type);
  Dwarf_Half tag = vf_tag(type);
  if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
    return 8;
  if (vf_unsigned(type, DW_AT_byte_size, &size))
    return size;
  if (tag == DW_TAG_enumeration_type)
    return size_of(dbg, peeled(dbg, type, true), depth + 1);
  if (tag != DW_TAG_array_type)
    return 0;
  size = size_of(dbg, peeled(dbg, type, true), depth + 1);
  bool has_bounds = false;
  for (Dwarf_Die child = vf_child(type); child; child = vf_sibling(dbg, child)) {
    uint64_t count = 0;
    if (vf_tag(child) != DW_TAG_subrange_type)
      continue;
    if (!vf_unsigned(child, DW_AT_count, &count)) {
      if (!vf_unsigned(child, DW_AT_upper_bound, &count))
        return 0;
      count++;
    }
    size *= count;
    has_bounds = true;
  }
  return has_bounds ? size : 0;
}

static void describe_base(Dwarf_Die base, struct vf_type *type)
{
  uint64_t encoding = 0;
  const char *name = vf_name(base);
  vf_unsigned(base, DW_AT_encoding, &encoding);
  bool plain = name && strcmp(name, "char") == 0;
  type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  if (encoding == DW_ATE_boolean)
    type->kind = FMT_TYPE_BOOL;
  else if (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char)
    type->kind = plain ? FMT_TYPE_CHAR : type->is_signed ? FMT_TYPE_SIGNED : FMT_TYPE_UNSIGNED;
  else if (encoding == DW_ATE_signed)
    type->kind = FMT_TYPE_SIGNED;
  else if (encoding == DW_ATE_unsigned || encoding == DW_ATE_UTF)
    type->kind = FMT_TYPE_UNSIGNED;
  else if (encoding == DW_ATE_float)
    type->kind = FMT_TYPE_FLOAT;
  else
    type->kind = encoding ? FMT_TYPE_OTHER : FMT_TYPE_UNKNOWN;
}

static int by_value(const void *left, const void *right)
{
  const struct vf_enumerator *a = left, *b = right;
  return a->value < b->value ? -1 : a->value > b->value;
}

/* The rule of docs/rules.md: two or more single bits, more than there are combinations of them, everything made of
 * them, and not simply 0 or 1 and the following numbers. */
static bool are_flags(const struct vf_type *type)
{
  uint64_t all = 0, singles = 0, combinations = 0, different = 0;
  int64_t low = 0, high = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < type->enumerator_count; i++) {
      int64_t value = type->enumerators[i].value;
      bool repeated = i > 0 && type->enumerators[i - 1].value == value;
      if (type->size == 4 && (value == 0x7fffffff || value == 0xffffffff))
        continue;
      if (value < 0 || (pass == 1 && ((uint64_t)value | all) != all))
        return false;
      if (pass == 1 || repeated)
        continue;
      low = different ? low : value;
      high = value;
      different++;
      bool single = value && (value & (value - 1)) == 0;
      singles += single;
      combinations += value && !single;
      all |= single ? (uint64_t)value : 0;
    }
  }
  bool numbered = different && low <= 1 && (uint64_t)(high - low) == different - 1;
  return singles >= 2 && combinations < singles && !numbered;
}

static void describe_enum(struct vf_module *module, Dwarf_Debug dbg, Dwarf_Die die, struct vf_type *type)
{
  uint32_t capacity = 0, count = 0;
  for (Dwarf_Die child = vf_child(die); child; child = vf_sibling(dbg, child))
    capacity++;
  struct vf_enumerator *list = base_arena_alloc(&module->arena, capacity * sizeof *list);
  for (Dwarf_Die child = vf_child(die); child && list; child = vf_sibling(dbg, child)) {
    uint64_t value;
    if (vf_tag(child) == DW_TAG_enumerator && vf_name(child) && vf_unsigned(child, DW_AT_const_value, &value))
      list[count++] = (struct vf_enumerator){(int64_t)value, vf_name(child)};
  }
  if (list && count)
    qsort(list, count, sizeof *list, by_value);
  Dwarf_Die base = peeled(dbg, die, true);
  uint64_t encoding;
  if (base && vf_unsigned(base, DW_AT_encoding, &encoding))
    type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  else
    type->is_signed = list && count && list[0].value < 0;
  type->enumerators = list;
  type->enumerator_count = count;
  type->kind = are_flags(type) ? FMT_TYPE_FLAGS : FMT_TYPE_ENUM;
}

static struct vf_type *make(struct vf_module *module, struct vf_object *object, Dwarf_Die die, int depth);

static void describe(struct vf_module *module, struct vf_object *object, Dwarf_Die die, struct vf_type *type, int depth)
{
  die = vf_complete(object->dbg, die);
  Dwarf_Half tag = vf_tag(die);
  type->size = (uint32_t)size_of(object->dbg, die, 0);
  switch (tag) {
  case DW_TAG_base_type:
    describe_base(die, type);
    return;
  case DW_TAG_enumeration_type:
    describe_enum(module, object->dbg, die, type);
    return;
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
  case DW_TAG_pointer_type: {
    Dwarf_Die target = peeled(object->dbg, die, true);
    type->is_reference = tag != DW_TAG_pointer_type;
    type->kind = target && vf_tag(target) == DW_TAG_subroutine_type ? FMT_TYPE_FUNCTION_POINTER : FMT_TYPE_POINTER;
    if (type->kind == FMT_TYPE_POINTER && depth < TARGETS_MAX)
      type->target = make(module, object, die, depth + 1);
    return;
  }
  case DW_TAG_array_type:
    type->kind = vf_has(die, DW_AT_GNU_vector) ? FMT_TYPE_OTHER : FMT_TYPE_ARRAY;
    if (depth < TARGETS_MAX)
      type->target = make(module, object, die, depth + 1);
    return;
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    type->kind = FMT_TYPE_AGGREGATE;
    return;
  default:
    type->kind = FMT_TYPE_OTHER;
    return;
  }
}

static struct vf_type **slot_of(struct vf_type **slots, size_t count, const struct vf_object *object, uint64_t offset)
{
  size_t at = ((offset ^ (uintptr_t)object) * 0x9E3779B97F4A7C15u >> 20) & (count - 1);
  while (slots[at] && (slots[at]->object != object || slots[at]->offset != offset))
    at = (at + 1) & (count - 1);
  return &slots[at];
}

static bool make_room(struct vf_module *module)
{
  if (module->type_count * 2 < module->type_slots)
    return true;
  size_t count = module->type_slots ? module->type_slots * 2 : 256;
  struct vf_type **slots = calloc(count, sizeof *slots);
  if (!slots)
    return false;
  for (size_t i = 0; i < module->type_slots; i++)
    if (module->types[i])
      *slot_of(slots, count, module->types[i]->object, module->types[i]->offset) = module->types[i];
  free(module->types);
  module->types = slots;
  module->type_slots = count;
  return true;
}

static struct vf_type *make(struct vf_module *module, struct vf_object *object, Dwarf_Die die, int depth)
{
  Dwarf_Die named = peeled(object->dbg, die, false), bare = peeled(object->dbg, die, true);
  uint64_t offset = named ? vf_parent_key(named) : 0;
  if (!make_room(module))
    return NULL;
  struct vf_type *found = *slot_of(module->types, module->type_slots, object, offset);
  if (found)
    return found;
  struct vf_type *type = base_arena_alloc(&module->arena, sizeof *type);
  if (!type)
    return NULL;
  struct speller speller = {module, object};
  *type = (struct vf_type){.object = object, .offset = offset, .kind = FMT_TYPE_VOID};
  type->name = whole(&speller, named, 0);
  if (bare)
    describe(module, object, bare, type, depth);
  if (!make_room(module))
    return NULL;
  *slot_of(module->types, module->type_slots, object, offset) = type;
  module->type_count++;
  return type;
}

struct vf_type *vf_type_of(struct vf_module *module, struct vf_object *object, Dwarf_Die die)
{
  return make(module, object, die, 0);
}

static const char *enum_difference(struct vf_module *module, const struct vf_type *type, const struct fmt_index *index,
                                   const struct fmt_index_type *indexed)
{
  if (type->enumerator_count != indexed->enumerator_count)
    return base_arena_printf(&module->arena, "%u enumerators, libdwarf sees %u", indexed->enumerator_count,
                             type->enumerator_count);
  for (uint32_t i = 0; i < type->enumerator_count; i++) {
    const struct fmt_index_enumerator *other = &index->enumerators[indexed->first_enumerator + i];
    bool has_name = false;
    for (uint32_t j = 0; j < type->enumerator_count && !has_name; j++)
      has_name = type->enumerators[j].value == other->value &&
                 strcmp(type->enumerators[j].name, fmt_index_string(index, other->name)) == 0;
    if (!has_name || other->value != type->enumerators[i].value)
      return base_arena_printf(&module->arena, "enumerator %s = %lld is not in libdwarf's list",
                               fmt_index_string(index, other->name), (long long)other->value);
  }
  return NULL;
}

const char *vf_type_difference(struct vf_module *module, const struct vf_type *type, const struct fmt_index *index,
                               uint32_t indexed)
{
  for (int depth = 0; depth < TARGETS_MAX && type; depth++) {
    const struct fmt_index_type *other = &index->types[indexed];
    const char *name = fmt_index_string(index, other->name);
    if (strcmp(name, type->name) != 0)
      return base_arena_printf(&module->arena, "type '%s', libdwarf reads '%s'", name, type->name);
    if (other->kind != type->kind || other->size != type->size || other->is_signed != type->is_signed)
      return base_arena_printf(&module->arena, "type '%s' is kind %u, %u bytes, sign %u; libdwarf reads %u, %u, %u",
                               name, other->kind, other->size, other->is_signed, type->kind, type->size,
                               type->is_signed);
    if (type->kind == FMT_TYPE_ENUM || type->kind == FMT_TYPE_FLAGS)
      return enum_difference(module, type, index, other);
    bool has_target = other->target != FMT_NONE;
    if (depth + 1 < TARGETS_MAX && has_target != (type->target != NULL))
      return base_arena_printf(&module->arena, "type '%s' has %s target", name, has_target ? "an unexpected" : "no");
    if (!has_target)
      return NULL;
    indexed = other->target;
    type = type->target;
  }
  return NULL;
}
