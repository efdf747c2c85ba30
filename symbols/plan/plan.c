/*
 * Makes the plan of one function: its parameters, their args, the rules about them, their lengths.
 */
#include "symbols/plan/plan.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/plan/actions.h"
#include "symbols/plan/length_pairing.h"
#include "symbols/plan/planner_state.h"
#include "symbols/plan/rule_match.h"
#include "symbols/plan/value_args.h"

enum {
  PARAMETERS_MAX = 255 /* of one function; the source of the limit is the width of a signature */
};

/* A parameter while its function is planned. */
struct draft {
  Dwarf_Die die;
  const char *name;
  struct sym_access_path access_path;
  struct sym_args_kind kind;
  uint8_t flags;
  bool is_hidden;              /* made by the compiler and not in the source */
  const struct sym_rule *rule; /* the last one about it */
  int set;                     /* that rule's */
  uint16_t first_arg, arg_count;
};

/* A function while it is planned. */
struct making {
  struct sym_planner *planner;
  struct sym_plan *plan;
  Dwarf_Die root;
  struct sym_function_names names;
  struct draft *drafts;
  uint16_t draft_count;
  struct sym_args args;
  const char **notes;
  size_t note_count, note_capacity;
};

int sym_plan_ordinal(const struct sym_plan *plan, Dwarf_Die *parameter)
{
  Dwarf_Die root;
  sym_die_root(parameter, &root);
  for (uint16_t i = 0; i < plan->parameter_count; i++)
    if (plan->parameters[i].die.addr == root.addr)
      return i;
  return -1;
}

static int add_note(struct making *making, const char *note)
{
  if (!note)
    return -ENOMEM;
  if (making->note_count + 1 >= making->note_capacity) {
    size_t capacity = making->note_capacity ? making->note_capacity * 2 : 8;
    const char **notes = realloc(making->notes, capacity * sizeof *notes);
    if (!notes)
      return -ENOMEM;
    making->notes = notes;
    making->note_capacity = capacity;
  }
  making->notes[making->note_count++] = note;
  making->notes[making->note_count] = NULL;
  return 0;
}

/* One parameter of the source, or of a C++ pack: number `pack_index` of `pack_name`. */
static int add_draft(struct making *making, Dwarf_Die *die, const char *pack_name, unsigned pack_index)
{
  struct draft *draft = &making->drafts[making->draft_count];
  struct base_arena *arena = &making->planner->arena;
  memset(draft, 0, sizeof *draft);
  draft->die = *die;
  draft->access_path.parameter = making->draft_count;
  draft->access_path.is_void = !sym_type_of(die, &draft->access_path.type);
  const char *name = dwarf_diename(die);
  if (name)
    draft->name = name;
  else if (pack_name && *pack_name)
    draft->name = base_arena_printf(arena, "%s[%u]", pack_name, pack_index);
  else
    draft->name = base_arena_printf(arena, "$%u", making->draft_count + 1u);
  if (!draft->name)
    return -ENOMEM;
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_artificial, &attribute)) {
    bool is_this = name && (strcmp(name, "this") == 0 || strcmp(name, "__closure") == 0);
    draft->flags = is_this ? FMT_ARG_THIS : 0;
    draft->is_hidden = !is_this;
  }
  making->draft_count++;
  return sym_args_kind(&making->args, &draft->access_path, &draft->kind);
}

static int read_parameters(struct making *making, Dwarf_Die *parent, const char *pack_name)
{
  Dwarf_Die child;
  unsigned pack_index = 0;
  if (dwarf_child(parent, &child) != 0)
    return 0;
  do {
    int result = 0;
    switch (dwarf_tag(&child)) {
    case DW_TAG_formal_parameter:
      if (making->draft_count == PARAMETERS_MAX)
        return add_note(making, "only the first 255 parameters are planned");
      result = add_draft(making, &child, pack_name, pack_index++);
      break;
    case DW_TAG_GNU_formal_parameter_pack:
      if (!pack_name)
        result = read_parameters(making, &child, dwarf_diename(&child) ? dwarf_diename(&child) : "");
      break;
    case DW_TAG_unspecified_parameters:
      making->plan->flags |= FMT_FUNCTION_VARIADIC;
      break;
    default:
      break;
    }
    if (result < 0)
      return result;
  } while (dwarf_siblingof(&child, &child) == 0);
  return 0;
}

/* The parameters as rules see them. */
static int show_parameters_to_rules(struct making *making)
{
  struct sym_args_parameter *list = base_arena_alloc(&making->planner->arena, making->draft_count * sizeof *list);
  if (!list)
    return -ENOMEM;
  for (uint16_t i = 0; i < making->draft_count; i++)
    list[i] = (struct sym_args_parameter){making->drafts[i].name, making->drafts[i].access_path};
  making->args.parameters = list;
  making->args.parameter_count = making->draft_count;
  return 0;
}

static struct draft *find_draft(struct making *making, const char *name)
{
  for (uint16_t i = 0; i < making->draft_count; i++)
    if (strcmp(making->drafts[i].name, name) == 0)
      return &making->drafts[i];
  return NULL;
}

static struct sym_rule_state *state_of(struct making *making, int set, const struct sym_rule *rule)
{
  const struct sym_rule_set *rules = &making->planner->sets[set];
  return &rules->states[rule - rules->rules->rules];
}

/* Gives each parameter the last rule about it, and notes the rules that name a parameter which is not there. */
static int assign_rules(struct making *making)
{
  for (int set = 0; set < SYM_RULE_SETS; set++) {
    const struct sym_rules *rules = making->planner->sets[set].rules;
    for (size_t i = 0; rules && i < rules->count; i++) {
      const struct sym_rule *rule = &rules->rules[i];
      struct sym_rule_state *state = &making->planner->sets[set].states[i];
      if (rule->kind != SYM_RULE_PARAMETER || !sym_rule_matches(rule, &making->names))
        continue;
      struct draft *draft = find_draft(making, rule->parameter);
      if (draft) {
        if (draft->rule)
          sym_rule_applied(&making->args, state_of(making, draft->set, draft->rule));
        draft->rule = rule;
        draft->set = set;
        continue;
      }
      struct sym_rule_path path = {
          .parts = &(struct sym_rule_path_part){.kind = SYM_PART_NAME, .name = rule->parameter}, .part_count = 1};
      struct sym_problem problem = {0};
      struct sym_access_path access_path;
      int result = sym_args_resolve(&making->args, NULL, &path, &access_path, &problem);
      if (result == -ENOMEM)
        return result;
      sym_rule_failed(state, &problem);
    }
  }
  return 0;
}

static int rule_failed(struct making *making, int set, const struct sym_rule *rule, const struct sym_problem *problem)
{
  struct base_arena *arena = &making->planner->arena;
  const char *origin = sym_rule_origin(arena, making->planner, set, rule);
  sym_rule_failed(state_of(making, set, rule), problem);
  return add_note(making, origin ? base_arena_printf(arena, "%s does not apply: %s", origin, problem->text) : NULL);
}

static int add_parameter_args(struct making *making, struct draft *draft)
{
  struct sym_args_value value = {.name = draft->name, .access_path = draft->access_path, .flags = draft->flags};
  value.is_unmade = draft->flags & FMT_ARG_THIS && sym_function_constructs(&making->names, draft->access_path.type);
  draft->first_arg = making->args.count;
  if (draft->is_hidden)
    return 0;
  int result = -EINVAL;
  if (draft->rule) {
    struct sym_problem problem = {0};
    const char *origin = sym_rule_origin(&making->planner->arena, making->planner, draft->set, draft->rule);
    if (!origin)
      return -ENOMEM;
    result = sym_args_add(&making->args, &value, &draft->rule->how, origin, &problem);
    if (result == 0) {
      sym_rule_applied(&making->args, state_of(making, draft->set, draft->rule));
    } else if (result == -EINVAL) {
      int noted = rule_failed(making, draft->set, draft->rule, &problem);
      draft->rule = NULL;
      if (noted < 0)
        return noted;
    }
  }
  if (result == -EINVAL) {
    struct sym_problem problem = {0};
    result = sym_args_add(&making->args, &value, NULL, "", &problem);
  }
  draft->arg_count = (uint16_t)(making->args.count - draft->first_arg);
  return result;
}

/* Adds an arg for a path. A parameter's name is a path too: it gets a second arg, beside the parameter's own. */
static int add_path_arg(struct making *making, const struct sym_rule_path *path, const struct sym_rule_how *how,
                        const char *why, struct sym_problem *problem)
{
  struct sym_args_value value = {.name = path->text};
  int result = sym_args_resolve(&making->args, NULL, path, &value.access_path, problem);
  if (result < 0)
    return result;
  if (path->is_span)
    return sym_args_add_span(&making->args, &value, path, why, problem);
  return sym_args_add(&making->args, &value, how, why, problem);
}

static int add_shown_args(struct making *making)
{
  for (int set = 0; set < SYM_RULE_SETS; set++) {
    const struct sym_rules *rules = making->planner->sets[set].rules;
    for (size_t i = 0; rules && i < rules->count; i++) {
      const struct sym_rule *rule = &rules->rules[i];
      if (rule->kind != SYM_RULE_SHOW || !sym_rule_matches(rule, &making->names))
        continue;
      struct sym_problem problem = {0};
      const char *origin = sym_rule_origin(&making->planner->arena, making->planner, set, rule);
      int result = origin ? add_path_arg(making, rule->path, &rule->how, origin, &problem) : -ENOMEM;
      if (result == 0)
        sym_rule_applied(&making->args, &making->planner->sets[set].states[i]);
      else if (result == -EINVAL)
        result = rule_failed(making, set, rule, &problem);
      if (result < 0)
        return result;
    }
  }
  return 0;
}

/* What the function returns: the last arg, which no site can read, since it is known when the call ends. */
static int add_return_arg(struct making *making, const struct sym_rule_how *how, const char *why,
                          struct sym_problem *problem)
{
  struct sym_args_value value = {.name = "return", .flags = FMT_ARG_RETURN};
  struct sym_args_kind kind;
  value.access_path.parameter = UINT16_MAX;
  value.access_path.is_void = !sym_type_of(&making->root, &value.access_path.type);
  int result = sym_args_kind(&making->args, &value.access_path, &kind);
  if (result < 0)
    return result;
  if (kind.entry.kind == FMT_TYPE_VOID)
    return sym_problem_set(problem, making->args.arena, SYM_PROBLEM_KIND, "it returns nothing");
  const bool is_float = kind.entry.kind == FMT_TYPE_FLOAT && (kind.entry.size == 4 || kind.entry.size == 8);
  if (!sym_args_is_integer(&kind) && !is_float && kind.entry.kind != FMT_TYPE_POINTER &&
      kind.entry.kind != FMT_TYPE_FUNCTION_POINTER)
    return sym_problem_set(problem, making->args.arena, SYM_PROBLEM_KIND,
                           "it returns %s, not a number or pointer of at most 8 bytes",
                           base_strings_at(making->args.strings, kind.entry.name));
  if (how->action == SYM_ACTION_VALUE)
    kind.is_reference = false;
  return how->action == SYM_ACTION_DEFAULT ? sym_args_add_default(&making->args, &value, &kind, why)
                                           : sym_args_add_action(&making->args, &value, &kind, how, why, problem);
}

/* Carries out the last rule about what the function returns. */
static int add_returned(struct making *making)
{
  for (int set = SYM_RULE_SETS; set-- > 0;) {
    const struct sym_rules *rules = making->planner->sets[set].rules;
    for (size_t i = rules ? rules->count : 0; i-- > 0;) {
      const struct sym_rule *rule = &rules->rules[i];
      if (rule->kind != SYM_RULE_RETURN || !sym_rule_matches(rule, &making->names))
        continue;
      struct sym_problem problem = {0};
      const char *origin = sym_rule_origin(&making->planner->arena, making->planner, set, rule);
      if (!origin)
        return -ENOMEM;
      if (making->plan->has_return) {
        sym_rule_applied(&making->args, &making->planner->sets[set].states[i]);
        continue;
      }
      int result = add_return_arg(making, &rule->how, origin, &problem);
      if (result == 0) {
        sym_rule_applied(&making->args, &making->planner->sets[set].states[i]);
        making->plan->has_return = true;
      } else if (result == -EINVAL) {
        result = rule_failed(making, set, rule, &problem);
      }
      if (result < 0)
        return result;
    }
  }
  return 0;
}

static bool is_length_arg(const struct sym_plan_arg *arg)
{
  return arg->arg.kind == FMT_ARG_VALUE || arg->arg.kind == FMT_ARG_BUCKET_LOG2 ||
         arg->arg.kind == FMT_ARG_BUCKET_RANGE;
}

/* Joins the draft's arg to the arg `length`, when both are such that a join can be printed. */
static int join(struct making *making, const struct draft *draft, uint16_t length, bool by_name, const char *why)
{
  struct sym_plan_arg *arg = &making->args.args[draft->first_arg];
  const struct sym_plan_arg *length_arg = &making->args.args[length];
  if (arg->arg.kind != FMT_ARG_NULLNESS)
    return 0;
  if (!is_length_arg(length_arg)) {
    const char *name = base_strings_at(making->planner->options.strings, length_arg->arg.name);
    arg->why = base_arena_printf(&making->planner->arena, "not joined: %s is not part of the signature", name);
    return arg->why ? 0 : -ENOMEM;
  }
  arg->arg.join = length;
  if (by_name)
    arg->arg.flags |= FMT_ARG_JOIN_BY_NAME;
  if (!*arg->why)
    arg->why = why;
  return 0;
}

/* Carries out "PARAM length PATH": the length is another parameter, or is shown as an arg of its own. */
static int join_by_rule(struct making *making, struct draft *draft)
{
  const struct sym_rule_path *path = draft->rule->how.length;
  struct sym_problem problem = {0};
  struct sym_access_path access_path;
  struct sym_args_kind kind;
  int result = sym_args_resolve(&making->args, NULL, path, &access_path, &problem);
  if (result == 0)
    result = sym_args_kind(&making->args, &access_path, &kind);
  if (result < 0)
    return result;
  uint16_t length = making->args.count;
  if (access_path.step_count == 0) {
    length = making->drafts[access_path.parameter].first_arg;
  } else {
    struct sym_args_value value = {.name = path->text, .access_path = access_path};
    result = sym_args_add_default(&making->args, &value, &kind, "the length that a rule gives");
  }
  return result < 0 ? result : join(making, draft, length, false, "");
}

static int pair_lengths(struct making *making)
{
  struct sym_pairing_parameter *pairings =
      base_arena_alloc(&making->planner->arena, making->draft_count * sizeof *pairings);
  if (!pairings)
    return -ENOMEM;
  for (uint16_t i = 0; i < making->draft_count; i++) {
    const struct draft *draft = &making->drafts[i];
    pairings[i].name = draft->name;
    if (!draft->is_hidden && !(draft->flags & FMT_ARG_THIS))
      sym_args_pairing_role(&making->args, &draft->access_path, draft->kind.type, &pairings[i]);
  }
  int result = sym_length_pairing_find(&making->planner->arena, pairings, making->draft_count);
  for (uint16_t i = 0; i < making->draft_count && result == 0; i++) {
    struct draft *draft = &making->drafts[i];
    if (!draft->arg_count)
      continue;
    struct sym_plan_arg *arg = &making->args.args[draft->first_arg];
    bool has_length_rule = draft->rule && draft->rule->how.action == SYM_ACTION_LENGTH;
    if (has_length_rule && draft->rule->how.length)
      result = join_by_rule(making, draft);
    else if (!has_length_rule && pairings[i].length >= 0)
      result = join(making, draft, making->drafts[pairings[i].length].first_arg, true, pairings[i].why);
    else if (!*arg->why)
      arg->why = pairings[i].why;
  }
  return result;
}

static int finish_parameters(struct making *making)
{
  struct sym_plan_parameter *list = base_arena_alloc(&making->planner->arena, making->draft_count * sizeof *list);
  if (!list)
    return -ENOMEM;
  for (uint16_t i = 0; i < making->draft_count; i++) {
    const struct draft *draft = &making->drafts[i];
    list[i].die = draft->die;
    list[i].type = draft->kind.type;
    list[i].first_arg = draft->first_arg;
    list[i].arg_count = draft->arg_count;
    int result = base_strings_add(making->planner->options.strings, draft->name, &list[i].name);
    if (result < 0)
      return result;
  }
  making->plan->parameters = list;
  making->plan->parameter_count = making->draft_count;
  return 0;
}

/* Moves what was collected into the plan. */
static int finish_plan(struct making *making)
{
  struct base_arena *arena = &making->planner->arena;
  struct sym_plan *plan = making->plan;
  static const char *const no_notes[] = {NULL};
  int result = finish_parameters(making);
  if (result < 0)
    return result;
  plan->arg_count = making->args.count;
  plan->args = base_arena_copy(arena, making->args.args, making->args.count * sizeof *plan->args);
  plan->notes = no_notes;
  if (making->note_count)
    plan->notes = base_arena_copy(arena, making->notes, (making->note_count + 1) * sizeof *making->notes);
  if (!plan->args || !plan->notes)
    return -ENOMEM;
  return base_strings_add(making->planner->options.strings, making->names.qualified, &plan->name);
}

static int make_args(struct making *making)
{
  int result = show_parameters_to_rules(making);
  if (result == 0)
    result = assign_rules(making);
  for (uint16_t i = 0; i < making->draft_count && result == 0; i++)
    result = add_parameter_args(making, &making->drafts[i]);
  if (result == 0)
    result = add_shown_args(making);
  if (result == 0)
    result = pair_lengths(making);
  if (result == 0)
    result = add_returned(making);
  return result;
}

/* Marks a function whose debug information has no parameters though the function may. */
static int tell_unknown(struct making *making)
{
  making->plan->is_thunk = sym_die_is_thunk(&making->root);
  if (!making->plan->is_thunk && !sym_die_lacks_parameters(&making->root))
    return 0;
  making->plan->flags |= FMT_FUNCTION_NO_DWARF;
  return add_note(making, making->plan->is_thunk ? "a thunk, of which the debug information has no parameters"
                                                 : "its debug information has no parameters (-g1)");
}

int sym_plan_make(struct sym_planner *planner, Dwarf_Die *root, struct sym_plan *plan)
{
  struct making making = {.planner = planner, .plan = plan, .root = *root};
  making.args = (struct sym_args){.arena = &planner->arena,
                                  .strings = planner->options.strings,
                                  .types = planner->types,
                                  .catalog = planner->catalog,
                                  .ranges = &planner->ranges,
                                  .sets = planner->sets,
                                  .is_diagnosing = planner->is_diagnosing};
  making.drafts = calloc(PARAMETERS_MAX, sizeof *making.drafts);
  int result = making.drafts ? sym_function_names(planner, root, &making.names) : -ENOMEM;
  if (sym_die_is_cxx(root))
    plan->flags |= FMT_FUNCTION_CXX;
  if (result == 0)
    result = tell_unknown(&making);
  if (result == 0)
    result = read_parameters(&making, root, NULL);
  if (result == 0)
    result = make_args(&making);
  if (result == 0)
    result = finish_plan(&making);
  free(making.drafts);
  free(making.args.args);
  free(making.notes);
  return result;
}
