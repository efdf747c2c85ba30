/*
 * Follows field names, indexes and dereferences from a parameter's type to what a rule means.
 */
#include "symbols/plan/access_path.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "symbols/base/identifier_words.h"
#include "symbols/dwarf/die.h"

enum { MEMBER_DEPTH_MAX = 16 };

static int add_step(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                    struct sym_step step)
{
  struct sym_step *last = access_path->step_count ? &access_path->steps[access_path->step_count - 1] : NULL;
  if (step.kind == SYM_STEP_OFFSET && last && last->kind == SYM_STEP_OFFSET) {
    last->offset += step.offset;
    return 0;
  }
  if (step.kind == SYM_STEP_OFFSET && step.offset == 0)
    return 0;
  if (access_path->step_count == SYM_ACCESS_PATH_STEPS_MAX)
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND, "the path has too many steps");
  access_path->steps[access_path->step_count++] = step;
  return 0;
}

/* The type of what the path leads to, without typedefs and qualifiers. False for void, and what a cast points to. */
static bool stripped_type(const struct sym_access_path *access_path, Dwarf_Die *type)
{
  *type = access_path->type;
  return !access_path->is_void && !access_path->stars && sym_type_strip(type);
}

static bool is_pointer_tag(int tag)
{
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static bool is_aggregate_tag(int tag)
{
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

int sym_access_path_deref(const struct sym_access_path_context *context, struct sym_access_path *access_path)
{
  Dwarf_Die type;
  if (access_path->stars) {
    access_path->stars--;
    const bool is_there = access_path->is_decayed;
    access_path->is_decayed = false;
    return is_there ? 0 : add_step(context, access_path, (struct sym_step){.kind = SYM_STEP_DEREF});
  }
  if (!stripped_type(access_path, &type) || !is_pointer_tag(dwarf_tag(&type)))
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                           "what '*' stands before is not a pointer");
  int result = add_step(context, access_path, (struct sym_step){.kind = SYM_STEP_DEREF});
  if (result < 0)
    return result;
  access_path->is_void = !sym_type_of(&type, &access_path->type);
  return 0;
}

/* The constant offset of a member or base class in its struct. False for what is found at run time only. */
static bool member_offset(Dwarf_Die *member, int64_t *offset)
{
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  *offset = 0;
  if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute))
    return true;
  if (dwarf_formudata(&attribute, &value) == 0) {
    *offset = (int64_t)value;
    return true;
  }
  Dwarf_Op *ops;
  size_t count;
  if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 || ops[0].atom != DW_OP_plus_uconst)
    return false;
  *offset = (int64_t)ops[0].number;
  return true;
}

struct found {
  Dwarf_Die member;
  int64_t offset; /* of the struct that holds the member, in the outer one */
  bool is_found;
  size_t best; /* distance of `nearest` */
  const char *nearest;
};

static bool is_inner(Dwarf_Die *child)
{
  if (dwarf_tag(child) == DW_TAG_inheritance)
    return true;
  return dwarf_tag(child) == DW_TAG_member && !dwarf_diename(child);
}

/* Looks for `name` among the members of `aggregate`, those of its anonymous members and base classes included. */
static void find_member(Dwarf_Die *aggregate, const char *name, int64_t offset, int depth, struct found *found)
{
  Dwarf_Die child;
  if (depth > MEMBER_DEPTH_MAX || dwarf_child(aggregate, &child) != 0)
    return;
  do {
    Dwarf_Attribute attribute;
    int64_t inner;
    if (is_inner(&child) && member_offset(&child, &inner)) {
      Dwarf_Die type;
      if (sym_type_of(&child, &type) && sym_type_strip(&type) && is_aggregate_tag(dwarf_tag(&type)))
        find_member(&type, name, offset + inner, depth + 1, found);
    } else if (dwarf_tag(&child) == DW_TAG_member && !dwarf_attr(&child, DW_AT_declaration, &attribute)) {
      const char *candidate = dwarf_diename(&child);
      size_t distance = candidate ? sym_edit_distance(name, candidate) : (size_t)-1;
      if (distance < found->best) {
        found->best = distance;
        found->nearest = candidate;
      }
      if (!found->is_found && candidate && strcmp(candidate, name) == 0) {
        found->member = child;
        found->offset = offset;
        found->is_found = true;
      }
    }
  } while (!found->is_found && dwarf_siblingof(&child, &child) == 0);
}

static bool attribute_value(Dwarf_Die *die, unsigned int name, uint64_t *value)
{
  Dwarf_Attribute attribute;
  Dwarf_Word word;
  if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
    return false;
  *value = word;
  return true;
}

/* Where a bit-field begins, counted in bits from the start of its struct. DWARF 2 to 4 may count from the high end of
 * the storage unit, DWARF 4 and 5 from the low end on. */
static uint64_t bit_position(Dwarf_Die *member, int64_t offset, uint64_t bit_size)
{
  uint64_t position, storage;
  if (attribute_value(member, DW_AT_data_bit_offset, &position))
    return position;
  if (!attribute_value(member, DW_AT_bit_offset, &position))
    return (uint64_t)offset * 8;
  if (!attribute_value(member, DW_AT_byte_size, &storage)) {
    Dwarf_Die type;
    storage = sym_type_of(member, &type) ? sym_type_size(&type) : 0;
  }
  return (uint64_t)offset * 8 + storage * 8 - position - bit_size;
}

static int enter_member(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                        struct found *found)
{
  int64_t offset;
  const char *name = dwarf_diename(&found->member);
  if (!member_offset(&found->member, &offset))
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                           "the place of field '%s' is known at run time only", name);
  access_path->is_void = !sym_type_of(&found->member, &access_path->type);
  uint64_t bit_size;
  if (!attribute_value(&found->member, DW_AT_bit_size, &bit_size))
    return add_step(context, access_path, (struct sym_step){.kind = SYM_STEP_OFFSET, .offset = found->offset + offset});
  uint64_t position = bit_position(&found->member, offset, bit_size);
  if (bit_size == 0 || position % 8 + bit_size > 64)
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND, "bit-field '%s' is spread over 9 bytes",
                           name);
  access_path->bit_storage = (uint32_t)(position % 8 + bit_size + 7) / 8;
  int result = add_step(context, access_path,
                        (struct sym_step){.kind = SYM_STEP_OFFSET, .offset = found->offset + (int64_t)(position / 8)});
  if (result < 0)
    return result;
  struct sym_step bits = {.kind = SYM_STEP_BITS, .bit_size = (uint8_t)bit_size, .offset = (int64_t)(position % 8)};
  return add_step(context, access_path, bits);
}

int sym_access_path_field(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                          const char *name)
{
  Dwarf_Die type;
  if (access_path->stars || (stripped_type(access_path, &type) && is_pointer_tag(dwarf_tag(&type)))) {
    int result = sym_access_path_deref(context, access_path);
    if (result < 0)
      return result;
  }
  if (!stripped_type(access_path, &type) || !is_aggregate_tag(dwarf_tag(&type)))
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                           "'%s' is asked of something that is not a struct or a pointer to one", name);
  int result = sym_catalog_complete(context->catalog, &type);
  if (result < 0)
    return result;
  struct found found = {.best = (size_t)-1};
  find_member(&type, name, 0, 0, &found);
  if (found.is_found)
    return enter_member(context, access_path, &found);
  const char *of = dwarf_diename(&type) ? dwarf_diename(&type) : "the anonymous struct";
  if (!found.nearest)
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_FIELD,
                           "%s has no field '%s': its fields are not known here", of, name);
  return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_FIELD,
                         "%s has no field '%s'; the nearest name is '%s'", of, name, found.nearest);
}

/* How many dimensions an array type has. */
static size_t dimensions(Dwarf_Die *array)
{
  size_t count = 0;
  Dwarf_Die child;
  if (dwarf_child(array, &child) != 0)
    return 1;
  do {
    count += dwarf_tag(&child) == DW_TAG_subrange_type;
  } while (dwarf_siblingof(&child, &child) == 0);
  return count;
}

int sym_access_path_element(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                            uint64_t index)
{
  Dwarf_Die type;
  int result = 0;
  const bool is_known = stripped_type(access_path, &type);
  if (!access_path->stars && (!is_known || access_path->bit_storage ||
                              (!is_pointer_tag(dwarf_tag(&type)) && dwarf_tag(&type) != DW_TAG_array_type)))
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                           "'[%llu]' is asked of something that is neither an array nor a pointer",
                           (unsigned long long)index);
  if (is_known && dwarf_tag(&type) == DW_TAG_array_type) {
    if (dimensions(&type) != 1)
      return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                             "'[%llu]' is asked of an array of several dimensions", (unsigned long long)index);
    access_path->is_void = !sym_type_of(&type, &access_path->type);
  } else {
    result = sym_access_path_deref(context, access_path);
  }
  if (result < 0)
    return result;
  uint64_t size = access_path->stars ? sizeof(uint64_t) : access_path->is_void ? 1 : sym_type_size(&access_path->type);
  uint64_t offset;
  if (__builtin_mul_overflow(size, index, &offset) || offset > INT32_MAX)
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND, "element [%llu] is too far away",
                           (unsigned long long)index);
  return add_step(context, access_path, (struct sym_step){.kind = SYM_STEP_OFFSET, .offset = (int64_t)offset});
}

int sym_access_path_parts(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                          const struct sym_rule_path *path, size_t first)
{
  int result = 0;
  for (size_t i = first; i < path->part_count && result == 0; i++) {
    const struct sym_rule_path_part *part = &path->parts[i];
    if (part->kind == SYM_PART_NAME)
      result = sym_access_path_field(context, access_path, part->name);
    else if (part->kind == SYM_PART_INDEX)
      result = sym_access_path_element(context, access_path, part->index);
    else if (part->kind == SYM_PART_CAST)
      result = sym_access_path_cast(context, access_path, part->name, part->index);
    else
      result = sym_access_path_deref(context, access_path);
  }
  if (result == 0 && access_path->is_decayed)
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                           "'%s' is an array taken for a pointer, which has no value: name what it points to, as in "
                           "((struct header *)bytes)->kind",
                           path->text);
  return result;
}

int sym_access_path_finish(struct base_arena *arena, const struct sym_access_path *access_path, uint32_t size,
                           bool is_signed, struct sym_plan_path *path)
{
  *path = (struct sym_plan_path){.parameter = access_path->parameter,
                                 .step_count = access_path->step_count,
                                 .size = access_path->bit_storage ? access_path->bit_storage : size,
                                 .is_signed = is_signed};
  path->steps = base_arena_copy(arena, access_path->steps, access_path->step_count * sizeof *access_path->steps);
  return path->steps ? 0 : -ENOMEM;
}
