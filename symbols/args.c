#include "args.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "joins.h"
#include "words.h"

int cs_args_kind(const struct cs_args *args, const struct cs_place *place, struct cs_args_kind *kind)
{
  Dwarf_Die die = place->type;
  int result = cs_types_add(args->types, place->is_void ? NULL : &die, &kind->type);
  if (result < 0)
    return result;
  kind->entry = *cs_types_at(args->types, kind->type);
  kind->stripped = place->type;
  kind->is_reference = false;
  if (!place->is_void && cs_type_strip(&kind->stripped)) {
    int tag = dwarf_tag(&kind->stripped);
    kind->is_reference = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
  }
  return 0;
}

bool cs_args_is_integer(const struct cs_args_kind *kind)
{
  switch (kind->entry.kind) {
  case CS_TYPE_SIGNED:
  case CS_TYPE_UNSIGNED:
  case CS_TYPE_CHAR:
  case CS_TYPE_BOOL:
  case CS_TYPE_ENUM:
  case CS_TYPE_FLAGS:
    return kind->entry.size >= 1 && kind->entry.size <= 8;
  default:
    return false;
  }
}

static int reserve(struct cs_args *args)
{
  if (args->count < args->capacity)
    return 0;
  if (args->capacity > UINT16_MAX / 2)
    return -E2BIG;
  uint16_t capacity = (uint16_t)(args->capacity ? args->capacity * 2 : 16);
  struct cs_plan_arg *list = realloc(args->args, capacity * sizeof *list);
  if (!list)
    return -ENOMEM;
  args->args = list;
  args->capacity = capacity;
  return 0;
}

int cs_args_push(struct cs_args *args, const struct cs_plan_arg *arg, const char *name, const struct cs_place *place,
                 uint32_t size, uint32_t words)
{
  int result = reserve(args);
  if (result < 0)
    return result;
  struct cs_plan_arg *added = &args->args[args->count];
  *added = *arg;
  added->arg.join = UINT16_MAX;
  added->arg.parameter = place->parameter;
  uint32_t state_words = (args->count + 16u) / 16u;
  if (words && args->words + words + state_words + 1 > CS_SIGNATURE_MAX_WORDS) {
    added->arg.kind = CS_ARG_TYPE;
    added->arg.aux = 0;
    added->emit = CS_EMIT_NONE;
    added->why = "only its type: the signature would exceed its limit of words";
    words = 0;
  }
  result = cs_strings_add(args->strings, name, &added->arg.name);
  if (result < 0)
    return result;
  result = cs_place_path(args->arena, place, size, arg->path.is_signed, &added->path);
  if (result < 0)
    return result;
  args->words += words;
  args->count++;
  return 0;
}

int cs_args_add_default(struct cs_args *args, const struct cs_args_value *value, const struct cs_args_kind *kind,
                        const char *why)
{
  struct cs_plan_arg arg = {.arg = {.type = kind->type, .flags = value->flags, .kind = CS_ARG_TYPE}, .why = why};
  uint32_t words = 1;
  arg.path.is_signed = kind->entry.is_signed;
  if (cs_args_is_integer(kind) || kind->entry.kind == CS_TYPE_FUNCTION_POINTER) {
    arg.arg.kind = CS_ARG_VALUE;
    arg.emit = CS_EMIT_VALUE;
  } else if (kind->entry.kind == CS_TYPE_POINTER) {
    arg.arg.kind = CS_ARG_NULLNESS;
    arg.emit = CS_EMIT_NULLNESS;
    if (kind->is_reference)
      arg.arg.flags |= CS_ARG_REFERENCE;
  } else {
    words = 0;
    if ((kind->entry.kind == CS_TYPE_SIGNED || kind->entry.kind == CS_TYPE_UNSIGNED) && !*why)
      arg.why = "only its type: wider than 8 bytes";
  }
  return cs_args_push(args, &arg, value->name, &value->place, kind->entry.size, words);
}

int cs_args_add(struct cs_args *args, const struct cs_args_value *value, const struct cs_rule_how *how, const char *why,
                struct cs_problem *problem)
{
  struct cs_args_kind kind;
  int result = cs_args_kind(args, &value->place, &kind);
  if (result < 0)
    return result;
  if (how && how->action != CS_ACTION_DEFAULT)
    return cs_args_add_action(args, value, &kind, how, why, problem);
  result = cs_args_add_group(args, value, &kind);
  return result != 0 ? (result < 0 ? result : 0) : cs_args_add_default(args, value, &kind, why);
}

static int no_parameter(struct cs_args *args, const char *name, struct cs_problem *problem)
{
  const char *nearest = NULL;
  size_t best = (size_t)-1;
  for (uint16_t i = 0; i < args->parameter_count; i++) {
    size_t distance = cs_edit_distance(name, args->parameters[i].name);
    if (distance < best) {
      best = distance;
      nearest = args->parameters[i].name;
    }
  }
  if (!nearest)
    return cs_problem_set(problem, args->arena, CS_PROBLEM_PARAMETER, "no parameter '%s': it has none", name);
  return cs_problem_set(problem, args->arena, CS_PROBLEM_PARAMETER, "no parameter '%s'; the nearest name is '%s'", name,
                        nearest);
}

int cs_args_resolve(struct cs_args *args, const struct cs_place *base, const struct cs_rule_path *path,
                    struct cs_place *place, struct cs_problem *problem)
{
  struct cs_place_context context = {args->arena, args->catalog, problem};
  if (base) {
    *place = *base;
    return cs_place_parts(&context, place, path, 0);
  }
  const char *name = path->parts[0].name;
  for (uint16_t i = 0; i < args->parameter_count; i++) {
    if (strcmp(args->parameters[i].name, name) == 0) {
      *place = args->parameters[i].place;
      return cs_place_parts(&context, place, path, 1);
    }
  }
  return no_parameter(args, name, problem);
}

/* Whether a chain of pointers ends in a function. */
static bool leads_to_function(Dwarf_Die type)
{
  for (int i = 0; i < CS_PLACE_STEPS_MAX; i++) {
    if (!cs_type_strip(&type))
      return false;
    if (dwarf_tag(&type) == DW_TAG_subroutine_type)
      return true;
    Dwarf_Die target;
    if (dwarf_tag(&type) != DW_TAG_pointer_type || !cs_type_of(&type, &target))
      return false;
    type = target;
  }
  return true;
}

void cs_args_join_role(const struct cs_args *args, const struct cs_place *place, uint32_t type,
                       struct cs_join_parameter *join)
{
  const struct cs_index_type *entry = cs_types_at(args->types, type);
  Dwarf_Die pointer = place->type;
  join->role = CS_JOIN_OTHER;
  join->element_size = 0;
  if ((entry->kind == CS_TYPE_SIGNED || entry->kind == CS_TYPE_UNSIGNED) && entry->size <= 8)
    join->role = CS_JOIN_INTEGER;
  if (entry->kind != CS_TYPE_POINTER || !cs_type_strip(&pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type ||
      leads_to_function(pointer))
    return;
  const struct cs_index_type *element = cs_types_at(args->types, entry->target);
  join->element_size = element->size;
  switch (element->kind) {
  case CS_TYPE_VOID:
    join->role = CS_JOIN_VOID;
    break;
  case CS_TYPE_CHAR:
    join->role = CS_JOIN_CHAR;
    break;
  case CS_TYPE_AGGREGATE:
    join->role = CS_JOIN_AGGREGATE;
    break;
  case CS_TYPE_POINTER:
  case CS_TYPE_FUNCTION_POINTER:
    join->role = CS_JOIN_POINTER;
    break;
  case CS_TYPE_ARRAY:
  case CS_TYPE_UNKNOWN:
    break;
  default:
    join->role = CS_JOIN_NUMBER;
    break;
  }
}

void cs_rule_applied(const struct cs_args *args, struct cs_rule_state *state)
{
  state->known = true;
  state->uses += !args->judging;
}

void cs_rule_failed(struct cs_rule_state *state, const struct cs_problem *problem)
{
  if (problem->depth > state->problem.depth)
    state->problem = *problem;
}
