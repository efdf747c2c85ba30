/*
 * Keeps the args of one plan while they are made, and knows how a type prints without any rule.
 */
#include "symbols/plan/args.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/base/identifier_words.h"
#include "symbols/dwarf/die.h"
#include "symbols/plan/length_pairing.h"

int sym_args_kind(const struct sym_args *args, const struct sym_access_path *access_path, struct sym_args_kind *kind)
{
  Dwarf_Die die = access_path->type;
  int result = sym_types_add(args->types, access_path->is_void ? NULL : &die, &kind->type);
  if (result < 0)
    return result;
  for (uint8_t i = 0; i < access_path->stars && result == 0; i++)
    result = sym_types_add_pointer(args->types, kind->type, &kind->type);
  if (result < 0)
    return result;
  kind->entry = *sym_types_at(args->types, kind->type);
  kind->stripped = access_path->type;
  kind->is_reference = false;
  if (!access_path->is_void && !access_path->stars && sym_type_strip(&kind->stripped)) {
    int tag = dwarf_tag(&kind->stripped);
    kind->is_reference = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
  }
  return 0;
}

bool sym_args_is_integer(const struct sym_args_kind *kind)
{
  switch (kind->entry.kind) {
  case FMT_TYPE_SIGNED:
  case FMT_TYPE_UNSIGNED:
  case FMT_TYPE_CHAR:
  case FMT_TYPE_BOOL:
  case FMT_TYPE_ENUM:
  case FMT_TYPE_FLAGS:
    return kind->entry.size >= 1 && kind->entry.size <= 8;
  default:
    return false;
  }
}

static int reserve(struct sym_args *args)
{
  if (args->count < args->capacity)
    return 0;
  if (args->capacity > UINT16_MAX / 2)
    return -E2BIG;
  uint16_t capacity = (uint16_t)(args->capacity ? args->capacity * 2 : 16);
  struct sym_plan_arg *list = realloc(args->args, capacity * sizeof *list);
  if (!list)
    return -ENOMEM;
  args->args = list;
  args->capacity = capacity;
  return 0;
}

int sym_args_push(struct sym_args *args, const struct sym_plan_arg *arg, const char *name,
                  const struct sym_access_path *access_path, uint32_t size, uint32_t words)
{
  int result = reserve(args);
  if (result < 0)
    return result;
  struct sym_plan_arg *added = &args->args[args->count];
  *added = *arg;
  added->arg.join = UINT16_MAX;
  added->arg.parameter = access_path->parameter;
  uint32_t state_words = (args->count + 16u) / 16u;
  if (words && args->words + words + state_words + 1 > FMT_SIGNATURE_MAX_WORDS) {
    added->arg.kind = FMT_ARG_TYPE;
    added->arg.aux = 0;
    added->emit = SYM_EMIT_NONE;
    added->why = "only its type: the signature would exceed its limit of words";
    words = 0;
  }
  result = base_strings_add(args->strings, name, &added->arg.name);
  if (result < 0)
    return result;
  result = sym_access_path_finish(args->arena, access_path, size, arg->path.is_signed, &added->path);
  if (result < 0)
    return result;
  args->words += words;
  args->count++;
  return 0;
}

int sym_args_add_default(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                         const char *why)
{
  struct sym_plan_arg arg = {.arg = {.type = kind->type, .flags = value->flags, .kind = FMT_ARG_TYPE}, .why = why};
  uint32_t words = 1;
  arg.path.is_signed = kind->entry.is_signed;
  if (sym_args_is_integer(kind) || kind->entry.kind == FMT_TYPE_FUNCTION_POINTER) {
    arg.arg.kind = FMT_ARG_VALUE;
    arg.emit = SYM_EMIT_VALUE;
  } else if (kind->entry.kind == FMT_TYPE_POINTER) {
    arg.arg.kind = FMT_ARG_NULLNESS;
    arg.emit = SYM_EMIT_NULLNESS;
    if (kind->is_reference)
      arg.arg.flags |= FMT_ARG_REFERENCE;
  } else {
    words = 0;
    if ((kind->entry.kind == FMT_TYPE_SIGNED || kind->entry.kind == FMT_TYPE_UNSIGNED) && !*why)
      arg.why = "only its type: wider than 8 bytes";
  }
  return sym_args_push(args, &arg, value->name, &value->access_path, kind->entry.size, words);
}

static int no_parameter(struct sym_args *args, const char *name, struct sym_problem *problem)
{
  const char *nearest = NULL;
  size_t best = (size_t)-1;
  for (uint16_t i = 0; i < args->parameter_count; i++) {
    size_t distance = sym_edit_distance(name, args->parameters[i].name);
    if (distance < best) {
      best = distance;
      nearest = args->parameters[i].name;
    }
  }
  if (!nearest)
    return sym_problem_set(problem, args->arena, SYM_PROBLEM_PARAMETER, "no parameter '%s': it has none", name);
  return sym_problem_set(problem, args->arena, SYM_PROBLEM_PARAMETER, "no parameter '%s'; the nearest name is '%s'",
                         name, nearest);
}

int sym_args_resolve(struct sym_args *args, const struct sym_access_path *base, const struct sym_rule_path *path,
                     struct sym_access_path *access_path, struct sym_problem *problem)
{
  struct sym_access_path_context context = {args->arena, args->catalog, problem};
  if (base) {
    *access_path = *base;
    return sym_access_path_parts(&context, access_path, path, 0);
  }
  const char *name = path->parts[0].name;
  for (uint16_t i = 0; i < args->parameter_count; i++) {
    if (strcmp(args->parameters[i].name, name) == 0) {
      *access_path = args->parameters[i].access_path;
      return sym_access_path_parts(&context, access_path, path, 1);
    }
  }
  return no_parameter(args, name, problem);
}

/* Whether a chain of pointers ends in a function. */
static bool leads_to_function(Dwarf_Die type)
{
  for (int i = 0; i < SYM_ACCESS_PATH_STEPS_MAX; i++) {
    if (!sym_type_strip(&type))
      return false;
    if (dwarf_tag(&type) == DW_TAG_subroutine_type)
      return true;
    Dwarf_Die target;
    if (dwarf_tag(&type) != DW_TAG_pointer_type || !sym_type_of(&type, &target))
      return false;
    type = target;
  }
  return true;
}

/* Whether a pointer's target is void by a name that does not say so: `typedef void BZFILE`, but not GLvoid or VOID. */
static bool is_handle(Dwarf_Die pointer)
{
  Dwarf_Die target;
  if (!sym_type_of(&pointer, &target))
    return false;
  while (sym_type_is_qualifier(dwarf_tag(&target))) {
    Dwarf_Die of = target;
    if (!sym_type_of(&of, &target))
      return false;
  }
  const char *name = dwarf_tag(&target) == DW_TAG_typedef ? dwarf_diename(&target) : NULL;
  return name && !strcasestr(name, "void");
}

void sym_args_pairing_role(const struct sym_args *args, const struct sym_access_path *access_path, uint32_t type,
                           struct sym_pairing_parameter *pairing)
{
  const struct fmt_index_type *entry = sym_types_at(args->types, type);
  Dwarf_Die pointer = access_path->type;
  pairing->role = SYM_PAIRING_OTHER;
  pairing->element_size = 0;
  if ((entry->kind == FMT_TYPE_SIGNED || entry->kind == FMT_TYPE_UNSIGNED) && entry->size <= 8)
    pairing->role = SYM_PAIRING_INTEGER;
  if (entry->kind != FMT_TYPE_POINTER || !sym_type_strip(&pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type ||
      leads_to_function(pointer))
    return;
  const struct fmt_index_type *element = sym_types_at(args->types, entry->target);
  pairing->element_size = element->size;
  switch (element->kind) {
  case FMT_TYPE_VOID:
    pairing->role = is_handle(pointer) ? SYM_PAIRING_HANDLE : SYM_PAIRING_VOID;
    break;
  case FMT_TYPE_CHAR:
    pairing->role = SYM_PAIRING_CHAR;
    break;
  case FMT_TYPE_AGGREGATE:
    pairing->role = SYM_PAIRING_AGGREGATE;
    break;
  case FMT_TYPE_POINTER:
  case FMT_TYPE_FUNCTION_POINTER:
    pairing->role = SYM_PAIRING_POINTER;
    break;
  case FMT_TYPE_ARRAY:
  case FMT_TYPE_UNKNOWN:
    break;
  default:
    pairing->role = SYM_PAIRING_NUMBER;
    break;
  }
}

void sym_rule_applied(const struct sym_args *args, struct sym_rule_state *state)
{
  state->known = true;
  state->uses += !args->is_diagnosing;
}

void sym_rule_failed(struct sym_rule_state *state, const struct sym_problem *problem)
{
  if (problem->depth > state->problem.depth)
    state->problem = *problem;
}
