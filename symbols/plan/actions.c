/*
 * Makes the arg that the words of a rule ask for: string, bucket, value, length, elements.
 */
#include "symbols/plan/actions.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int wrong_kind(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                      const char *wanted, struct sym_problem *problem)
{
  return sym_problem_set(problem, args->arena, SYM_PROBLEM_KIND, "%s is of type %s, not %s", value->name,
                         base_strings_at(args->strings, kind->entry.name), wanted);
}

/* The integer that a path of the rule means, as a count. */
static int read_count(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule_path *path,
                      struct sym_count *count, struct sym_problem *problem)
{
  struct sym_access_path access_path;
  struct sym_args_kind kind;
  int result = sym_args_resolve(args, value->base, path, &access_path, problem);
  if (result == 0)
    result = sym_args_kind(args, &access_path, &kind);
  if (result != 0)
    return result;
  if (!sym_args_is_integer(&kind)) {
    struct sym_args_value length = {.name = path->text};
    return wrong_kind(args, &length, &kind, "an integer", problem);
  }
  return sym_access_path_finish(args->arena, &access_path, kind.entry.size, kind.entry.is_signed, &count->path);
}

static bool is_text(const struct fmt_index_type *entry)
{
  return entry->kind == FMT_TYPE_VOID ||
         (entry->size == 1 &&
          (entry->kind == FMT_TYPE_CHAR || entry->kind == FMT_TYPE_SIGNED || entry->kind == FMT_TYPE_UNSIGNED));
}

static int add_string(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                      const struct sym_rule_how *how, const char *why, struct sym_problem *problem)
{
  struct sym_plan_arg arg = {
      .arg = {.type = kind->type, .kind = FMT_ARG_STRING, .flags = value->flags, .aux = how->limit},
      .emit = SYM_EMIT_STRING,
      .limit = how->limit,
      .why = why};
  struct sym_access_path access_path = value->access_path;
  bool is_array = kind->entry.kind == FMT_TYPE_ARRAY;
  if ((!is_array && kind->entry.kind != FMT_TYPE_POINTER) || !is_text(sym_types_at(args->types, kind->entry.target)))
    return wrong_kind(args, value, kind, "a pointer to or an array of characters", problem);
  int result = 0;
  if (is_array) {
    if (kind->entry.size && kind->entry.size < arg.limit)
      arg.arg.aux = arg.limit = kind->entry.size;
  } else {
    struct sym_access_path_context context = {args->arena, args->catalog, problem};
    result = sym_access_path_deref(&context, &access_path);
  }
  if (result == 0 && how->length) {
    arg.emit = SYM_EMIT_STRING_LENGTH;
    result = read_count(args, value, how->length, &arg.count, problem);
  }
  return result < 0 ? result : sym_args_push(args, &arg, value->name, &access_path, 1, 1 + (arg.limit + 7) / 8);
}

static int add_range_list(struct sym_ranges *ranges, const struct sym_rule_how *how, uint32_t *offset)
{
  for (uint32_t at = 0; at < ranges->count; at += (uint32_t)ranges->values[at] + 1) {
    if (ranges->values[at] == (int64_t)how->bound_count &&
        memcmp(&ranges->values[at + 1], how->bounds, how->bound_count * sizeof *how->bounds) == 0) {
      *offset = at;
      return 0;
    }
  }
  uint32_t needed = ranges->count + (uint32_t)how->bound_count + 1;
  if (needed > ranges->capacity) {
    int64_t *values = realloc(ranges->values, needed * 2 * sizeof *values);
    if (!values)
      return -ENOMEM;
    ranges->values = values;
    ranges->capacity = needed * 2;
  }
  *offset = ranges->count;
  ranges->values[ranges->count++] = (int64_t)how->bound_count;
  memcpy(&ranges->values[ranges->count], how->bounds, how->bound_count * sizeof *how->bounds);
  ranges->count += (uint32_t)how->bound_count;
  return 0;
}

static int add_bucket(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                      const struct sym_rule_how *how, const char *why, struct sym_problem *problem)
{
  if (!sym_args_is_integer(kind))
    return wrong_kind(args, value, kind, "an integer", problem);
  struct sym_plan_arg arg = {.arg = {.type = kind->type, .kind = FMT_ARG_BUCKET_LOG2, .flags = value->flags},
                             .emit = SYM_EMIT_LOG2,
                             .why = why};
  arg.path.is_signed = kind->entry.is_signed;
  if (how->action == SYM_ACTION_RANGE) {
    arg.arg.kind = FMT_ARG_BUCKET_RANGE;
    arg.emit = SYM_EMIT_RANGE;
    int result = add_range_list(args->ranges, how, &arg.arg.aux);
    if (result < 0)
      return result;
  }
  return sym_args_push(args, &arg, value->name, &value->access_path, kind->entry.size, 1);
}

static int add_value(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                     const char *why, struct sym_problem *problem)
{
  struct sym_plan_arg arg = {
      .arg = {.type = kind->type, .kind = FMT_ARG_VALUE, .flags = value->flags}, .emit = SYM_EMIT_VALUE, .why = why};
  arg.path.is_signed = kind->entry.is_signed;
  if (kind->is_reference) {
    struct sym_args_value target = *value;
    struct sym_access_path_context context = {args->arena, args->catalog, problem};
    struct sym_args_kind target_kind = {0};
    int result = sym_access_path_deref(&context, &target.access_path);
    if (result == 0)
      result = sym_args_kind(args, &target.access_path, &target_kind);
    return result < 0 ? result : add_value(args, &target, &target_kind, why, problem);
  }
  if (kind->entry.kind == FMT_TYPE_FLOAT && (kind->entry.size == 4 || kind->entry.size == 8))
    arg.arg.kind = FMT_ARG_FLOAT;
  else if (!sym_args_is_integer(kind) && kind->entry.kind != FMT_TYPE_POINTER &&
           kind->entry.kind != FMT_TYPE_FUNCTION_POINTER)
    return wrong_kind(args, value, kind, "a number or pointer of at most 8 bytes", problem);
  return sym_args_push(args, &arg, value->name, &value->access_path, kind->entry.size, 1);
}

static int add_length(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                      const struct sym_rule_how *how, const char *why, struct sym_problem *problem)
{
  if (kind->entry.kind != FMT_TYPE_POINTER || kind->is_reference || (value->flags & FMT_ARG_THIS))
    return wrong_kind(args, value, kind, "a pointer to data", problem);
  struct sym_args_kind sized = *kind;
  if (how->length) {
    struct sym_count count;
    int result = read_count(args, value, how->length, &count, problem);
    if (result < 0)
      return result;
  } else {
    int result = sym_types_add_array(args->types, kind->entry.target, how->length_constant, &sized.type);
    if (result < 0)
      return result;
  }
  return sym_args_add_default(args, value, &sized, why);
}

static int add_unread(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                      enum fmt_arg_kind arg_kind, const char *why)
{
  struct sym_plan_arg arg = {.arg = {.type = kind->type, .kind = (uint8_t)arg_kind, .flags = value->flags}, .why = why};
  return sym_args_push(args, &arg, value->name, &value->access_path, kind->entry.size, 0);
}

int sym_args_add_action(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                        const struct sym_rule_how *how, const char *why, struct sym_problem *problem)
{
  switch ((enum sym_rule_action)how->action) {
  case SYM_ACTION_STRING:
    return add_string(args, value, kind, how, why, problem);
  case SYM_ACTION_LOG2:
  case SYM_ACTION_RANGE:
    return add_bucket(args, value, kind, how, why, problem);
  case SYM_ACTION_VALUE:
    return add_value(args, value, kind, why, problem);
  case SYM_ACTION_LENGTH:
    return add_length(args, value, kind, how, why, problem);
  case SYM_ACTION_IGNORE:
    return add_unread(args, value, kind, FMT_ARG_IGNORED, why);
  case SYM_ACTION_TYPE:
    return add_unread(args, value, kind, FMT_ARG_TYPE, why);
  case SYM_ACTION_DEFAULT:
    break;
  }
  return sym_args_add_default(args, value, kind, why);
}

int sym_args_add_distance(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule_path *minus,
                          struct sym_problem *problem)
{
  struct sym_access_path begin;
  struct sym_args_kind kind, begin_kind;
  struct sym_plan_arg arg = {.arg = {.kind = FMT_ARG_VALUE, .flags = value->flags}, .emit = SYM_EMIT_DISTANCE};
  arg.why = "a difference";
  arg.path.is_signed = true;
  int result = sym_args_kind(args, &value->access_path, &kind);
  if (result == 0)
    result = sym_args_resolve(args, value->base, minus, &begin, problem);
  if (result == 0)
    result = sym_args_kind(args, &begin, &begin_kind);
  if (result != 0)
    return result;
  if (kind.entry.kind != FMT_TYPE_POINTER || begin_kind.entry.kind != FMT_TYPE_POINTER ||
      kind.entry.target != begin_kind.entry.target)
    return wrong_kind(args, value, &kind, "a pointer to what the other pointer points to", problem);
  arg.limit = sym_types_at(args->types, kind.entry.target)->size;
  if (arg.limit == 0)
    return wrong_kind(args, value, &kind, "a pointer to what has a size", problem);
  result = sym_types_add_difference(args->types, &arg.arg.type);
  if (result == 0)
    result = sym_access_path_finish(args->arena, &begin, begin_kind.entry.size, false, &arg.count.path);
  return result < 0 ? result : sym_args_push(args, &arg, value->name, &value->access_path, kind.entry.size, 1);
}

int sym_args_add_span(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule_path *path,
                      const char *why, struct sym_problem *problem)
{
  struct sym_access_path_context context = {args->arena, args->catalog, problem};
  struct sym_args_kind array, element;
  int result = sym_args_kind(args, &value->access_path, &array);
  if (result < 0)
    return result;
  struct sym_access_path first = value->access_path;
  result = sym_access_path_element(&context, &first, path->from);
  if (result == 0)
    result = sym_args_kind(args, &first, &element);
  if (result != 0)
    return result;
  if (!sym_args_is_integer(&element)) {
    struct sym_args_value named = {.name = path->text};
    return wrong_kind(args, &named, &array, "an array of integers", problem);
  }
  struct sym_plan_arg arg = {
      .arg = {.type = array.type, .kind = FMT_ARG_SPAN, .flags = value->flags}, .emit = SYM_EMIT_SPAN, .why = why};
  arg.path.is_signed = element.entry.is_signed;
  uint32_t words = FMT_SPAN_MAX;
  if (path->to_is_constant) {
    arg.count.is_constant = true;
    arg.count.constant = path->to_constant - path->from;
    words = arg.count.constant < words ? (uint32_t)arg.count.constant : words;
  } else if (path->from != 0) {
    return sym_problem_set(problem, args->arena, SYM_PROBLEM_KIND, "a range that ends in a field must begin at 0");
  } else {
    result = read_count(args, value, path->to, &arg.count, problem);
    if (result < 0)
      return result;
  }
  return sym_args_push(args, &arg, value->name, &first, element.entry.size, 1 + words);
}
