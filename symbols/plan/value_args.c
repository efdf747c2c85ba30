/*
 * Makes the args of one value: by a rule, as the group that a type rule makes of it, or by default.
 */
#include "symbols/plan/value_args.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/plan/actions.h"

enum { CHAIN_MAX = 64 };

static bool is_named(const struct sym_rule *rule, const char *wanted, const char *name)
{
  return rule->is_glob ? fnmatch(wanted, name, 0) == 0 : strcmp(wanted, name) == 0;
}

/* Whether a rule's name means this struct: its tag with or without "struct", or with its namespaces. */
static bool names_aggregate(struct sym_args *args, const struct sym_rule *rule, Dwarf_Die *type)
{
  static const char *const keywords[] = {"struct ", "union ", "class "};
  const char *tag = dwarf_diename(type), *wanted = rule->name;
  if (!tag)
    return false;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (strncmp(wanted, keywords[i], strlen(keywords[i])) == 0)
      wanted += strlen(keywords[i]);
  if (is_named(rule, wanted, tag))
    return true;
  if (!strstr(wanted, "::"))
    return false;
  const char *qualified = sym_types_qualified_name(args->types, type);
  return qualified && is_named(rule, wanted, qualified);
}

/* Whether the rule's name means the type, a typedef on the way to it, or what one pointer or reference leads to. */
static bool names_type(struct sym_args *args, const struct sym_rule *rule, const struct sym_access_path *access_path)
{
  Dwarf_Die type = access_path->type;
  bool followed = access_path->stars > 0;
  if (access_path->is_void || access_path->stars > 1)
    return false;
  for (int i = 0; i < CHAIN_MAX; i++) {
    int tag = dwarf_tag(&type);
    const char *name = dwarf_diename(&type);
    if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type)
      return names_aggregate(args, rule, &type);
    if (tag == DW_TAG_typedef && name && is_named(rule, rule->name, name))
      return true;
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) {
      if (followed)
        return false;
      followed = true;
    } else if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
               tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type) {
      return false;
    }
    if (!sym_type_of(&type, &type))
      return false;
  }
  return false;
}

/* A type inside its own group prints as it would without rules. */
static bool is_inside(const struct sym_args_value *value, const struct sym_rule *rule)
{
  for (int i = 0; i < value->group_depth; i++)
    if (value->inside[i] == rule)
      return true;
  return false;
}

static int add_field(struct sym_args *args, const struct sym_args_value *group, const struct sym_rule *rule,
                     const struct sym_rule_field *field, const struct sym_access_path *inner,
                     struct sym_problem *problem)
{
  struct sym_args_value value = {.name = field->label, .base = inner, .group_depth = group->group_depth + 1};
  memcpy(value.inside, group->inside, sizeof value.inside);
  value.inside[group->group_depth] = rule;
  int result = sym_args_resolve(args, inner, field->path, &value.access_path, problem);
  if (result < 0)
    return result;
  if (field->minus)
    return sym_args_add_distance(args, &value, field->minus, problem);
  if (field->path->is_span)
    return sym_args_add_span(args, &value, field->path, "", problem);
  return sym_args_add(args, &value, &field->how, "", problem);
}

/* The pointer's own nullness, the group's first child. */
static int add_nullness(struct sym_args *args, const struct sym_args_value *group, const struct sym_args_kind *kind)
{
  struct sym_args_value pointer = {.name = "", .access_path = group->access_path};
  return sym_args_add_default(args, &pointer, kind, "");
}

/* The struct's own type, under the name that the rule calls it: its own, where that is one of several. */
static int group_type(struct sym_args *args, const struct sym_access_path *inner, const struct sym_rule *rule,
                      uint32_t *type)
{
  struct sym_args_kind kind;
  int result = sym_args_kind(args, inner, &kind);
  *type = kind.type;
  return result < 0 || rule->is_glob ? result : sym_types_add_renamed(args->types, kind.type, rule->name, type);
}

static int add_group(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                     const struct sym_rule *rule, struct sym_problem *problem)
{
  struct sym_access_path_context context = {args->arena, args->catalog, problem};
  struct sym_plan_arg group = {.arg = {.kind = FMT_ARG_GROUP, .flags = value->flags}, .why = "a type rule"};
  struct sym_access_path inner = value->access_path;
  bool is_pointer = kind->entry.kind == FMT_TYPE_POINTER;
  int result = is_pointer ? sym_access_path_deref(&context, &inner) : 0;
  if (result == 0)
    result = group_type(args, &inner, rule, &group.arg.type);
  if (result == 0)
    result = base_strings_add(args->strings, rule->print ? rule->print : "", &group.arg.text);
  if (result < 0)
    return result;
  if (is_pointer)
    group.arg.flags |= kind->is_reference ? FMT_ARG_REFERENCE : FMT_ARG_GROUP_POINTER;
  uint16_t at = args->count;
  result = sym_args_push(args, &group, value->name, &value->access_path, kind->entry.size, 0);
  if (result == 0 && is_pointer && !kind->is_reference)
    result = add_nullness(args, value, kind);
  for (size_t i = 0; i < rule->field_count && result == 0; i++)
    result = add_field(args, value, rule, &rule->fields[i], &inner, problem);
  if (result == 0)
    args->args[at].arg.children = (uint16_t)(args->count - at - 1);
  return result;
}

/* Adds the whole group or nothing. */
static int add_whole_group(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                           const struct sym_rule *rule, struct sym_problem *problem)
{
  uint16_t count = args->count;
  uint32_t words = args->words;
  int result = add_group(args, value, kind, rule, problem);
  if (result < 0) {
    args->count = count;
    args->words = words;
  }
  return result;
}

int sym_args_try_group(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule *rule,
                       struct sym_problem *problem)
{
  struct sym_args_kind kind;
  int result = sym_args_kind(args, &value->access_path, &kind);
  return result < 0 ? result : add_whole_group(args, value, &kind, rule, problem);
}

/* 1 when the rule makes a group of the value, 0 when it does not fit it. */
static int apply(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                 const struct sym_rule *rule, struct sym_rule_state *state)
{
  struct sym_problem problem = {0};
  int result = add_whole_group(args, value, kind, rule, &problem);
  if (result == 0) {
    sym_rule_applied(args, state);
    return 1;
  }
  if (result != -EINVAL)
    return result;
  sym_rule_failed(state, &problem);
  return 0;
}

/* The group that the last type rule which means the value's type makes of it; of soft rules the last that fits: 1 when
 * one was added, 0 when no rule applies. */
static int add_ruled_group(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind)
{
  if (value->is_unmade || value->group_depth == (int)(sizeof value->inside / sizeof *value->inside))
    return 0;
  for (int set = SYM_RULE_SETS; set-- > 0;) {
    const struct sym_rules *rules = args->sets[set].rules;
    for (size_t i = rules ? rules->count : 0; i-- > 0;) {
      const struct sym_rule *rule = &rules->rules[i];
      if (rule->kind != SYM_RULE_TYPE || is_inside(value, rule) || !names_type(args, rule, &value->access_path))
        continue;
      int result = apply(args, value, kind, rule, &args->sets[set].states[i]);
      if (result != 0 || !rule->is_soft)
        return result;
    }
  }
  return 0;
}

/* The enumeration of that name, by its tag or a typedef. */
static int find_enumeration(struct sym_args *args, const char *name, uint32_t *type, struct sym_problem *problem)
{
  const struct sym_catalog_entry *entries;
  size_t count;
  int result = sym_catalog_find(args->catalog, SYM_CATALOG_TYPE, name, &entries, &count);
  for (size_t i = 0; i < count && result == 0; i++) {
    const struct sym_access_path path = {.type = entries[i].die};
    struct sym_args_kind kind;
    if (entries[i].is_declaration)
      continue;
    result = sym_args_kind(args, &path, &kind);
    *type = kind.type;
    if (result == 0 && (kind.entry.kind == FMT_TYPE_ENUM || kind.entry.kind == FMT_TYPE_FLAGS))
      return 0;
  }
  const char *nearest = NULL;
  if (result == 0 && count == 0)
    result = sym_catalog_nearest(args->catalog, SYM_CATALOG_TYPE, name, false, &nearest);
  if (result < 0)
    return result;
  if (count > 0)
    return sym_problem_set(problem, args->arena, SYM_PROBLEM_KIND, "'%s' is no enumeration", name);
  return sym_problem_set(problem, args->arena, SYM_PROBLEM_KIND, "no enumeration '%s'%s%s%s", name,
                         nearest ? "; the nearest name of a type is '" : "", nearest ? nearest : "",
                         nearest ? "'" : "");
}

/* An integer, shown as a value of the enumeration. */
static int add_enumerated(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                          const struct sym_rule_how *how, const char *why, struct sym_problem *problem)
{
  struct sym_args_kind enumerated = *kind;
  if (!sym_args_is_integer(kind))
    return sym_problem_set(problem, args->arena, SYM_PROBLEM_KIND, "%s is of type %s, not an integer", value->name,
                           base_strings_at(args->strings, kind->entry.name));
  int result = find_enumeration(args, how->as, &enumerated.type, problem);
  return result < 0 ? result : sym_args_add_default(args, value, &enumerated, why);
}

int sym_args_add(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule_how *how,
                 const char *why, struct sym_problem *problem)
{
  struct sym_args_kind kind;
  int result = sym_args_kind(args, &value->access_path, &kind);
  if (result < 0)
    return result;
  if (how && how->as)
    return add_enumerated(args, value, &kind, how, why, problem);
  if (how && how->action != SYM_ACTION_DEFAULT)
    return sym_args_add_action(args, value, &kind, how, why, problem);
  result = add_ruled_group(args, value, &kind);
  return result != 0 ? (result < 0 ? result : 0) : sym_args_add_default(args, value, &kind, why);
}
