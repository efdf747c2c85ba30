/*
 * Finds what a rule lacks in a module, and says so with the nearest name that exists.
 */
#include "symbols/plan/rule_diagnostics.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/plan/planner_state.h"
#include "symbols/plan/rule_match.h"
#include "symbols/plan/value_args.h"

/* Looks for an unplanned function of the module that satisfies the rule; planning it finds that out. */
static int try_functions(struct sym_planner *planner, const struct sym_rule *rule, const struct sym_rule_state *state)
{
  const struct sym_catalog_entry *entries;
  size_t count;
  int result = sym_catalog_all(planner->catalog, SYM_CATALOG_FUNCTION, &entries, &count);
  for (size_t i = 0; i < count && result == 0 && !state->known; i++) {
    Dwarf_Die die = entries[i].die;
    struct sym_function_names names;
    if (entries[i].is_declaration)
      continue;
    result = sym_function_names(planner, &die, &names);
    const struct sym_plan *plan;
    if (result == 0 && sym_rule_matches(rule, &names))
      result = sym_planner_function(planner, &die, &plan);
  }
  return result;
}

static const char *without_keyword(const char *name)
{
  static const char *const keywords[] = {"struct ", "union ", "class "};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (strncmp(name, keywords[i], strlen(keywords[i])) == 0)
      return name + strlen(keywords[i]);
  return name;
}

static bool names(const struct sym_rule *rule, const char *wanted, const char *name)
{
  return rule->is_glob ? fnmatch(wanted, name, 0) == 0 : strcmp(wanted, name) == 0;
}

/* Looks for a type that no planned parameter has and that satisfies the rule. */
static int try_types(struct sym_planner *planner, const struct sym_rule *rule, struct sym_rule_state *state)
{
  const struct sym_catalog_entry *entries;
  size_t count;
  const char *wanted = without_keyword(rule->name);
  int result = sym_catalog_all(planner->catalog, SYM_CATALOG_TYPE, &entries, &count);
  struct sym_args args = {.arena = &planner->arena,
                          .strings = planner->options.strings,
                          .types = planner->types,
                          .catalog = planner->catalog,
                          .ranges = &planner->ranges,
                          .sets = planner->sets,
                          .is_diagnosing = true};
  for (size_t i = 0; i < count && result == 0 && !state->known; i++) {
    Dwarf_Die die = entries[i].die;
    const char *plain = dwarf_diename(&die);
    if (entries[i].is_declaration || (!names(rule, wanted, entries[i].name) && !(plain && names(rule, wanted, plain))))
      continue;
    struct sym_args_value value = {.name = rule->name, .access_path = {.type = die}};
    struct sym_problem problem = {0};
    args.count = 0;
    args.words = 0;
    result = sym_args_try_group(&args, &value, rule, &problem);
    state->known = result == 0;
    if (result == -EINVAL) {
      sym_rule_failed(state, &problem);
      result = 0;
    }
  }
  free(args.args);
  return result;
}

/* Is the rule about a function of another module, which this one only declares? Where library calls are recorded, those
 * that the module has are planned already. */
static int names_declared(struct sym_planner *planner, const struct sym_rule *rule, struct sym_problem *problem)
{
  if (rule->kind == SYM_RULE_TYPE || rule->is_glob || rule->file)
    return 0;
  const struct sym_catalog_entry *entries;
  size_t count;
  int result = sym_catalog_find(planner->catalog, SYM_CATALOG_FUNCTION, rule->name, &entries, &count);
  if (result == 0 && count > 0)
    result = sym_problem_set(problem, &planner->arena, SYM_PROBLEM_DECLARED, "no function '%s' in %s, which %s",
                             rule->name, planner->options.module,
                             planner->options.library_calls
                                 ? "makes no call of it that is recorded"
                                 : "only declares it: rules about functions of libraries take --library-calls");
  return result == -EINVAL ? 0 : result;
}

static int name_is_unknown(struct sym_planner *planner, const struct sym_rule *rule, struct sym_rule_state *state)
{
  bool is_type = rule->kind == SYM_RULE_TYPE;
  const char *what = is_type ? "type" : "function";
  const char *nearest;
  struct sym_problem problem = {0};
  int result = sym_catalog_nearest(planner->catalog, is_type ? SYM_CATALOG_TYPE : SYM_CATALOG_FUNCTION, rule->name,
                                   !is_type && !planner->options.library_calls, &nearest);
  if (result == 0)
    result = names_declared(planner, rule, &problem);
  if (result < 0)
    return result;
  const char *module = planner->options.module;
  const char *verb = rule->is_glob ? " matches" : "";
  if (problem.depth == SYM_PROBLEM_DECLARED)
    ; /* said already */
  else if (!nearest)
    sym_problem_set(&problem, &planner->arena, SYM_PROBLEM_NAME, "no %s%s '%s' in %s, which has no debug information",
                    what, verb, rule->name, module);
  else if (rule->is_glob || rule->file)
    sym_problem_set(&problem, &planner->arena, SYM_PROBLEM_NAME, "no %s%s '%s'%s%s in %s", what, verb, rule->name,
                    rule->file ? " of file " : "", rule->file ? rule->file : "", module);
  else
    sym_problem_set(&problem, &planner->arena, SYM_PROBLEM_NAME, "no %s '%s' in %s; the nearest name is '%s'", what,
                    rule->name, module, nearest);
  if (problem.depth == SYM_PROBLEM_NONE)
    return -ENOMEM;
  sym_rule_failed(state, &problem);
  return 0;
}

/* Finds what a rule lacks that nothing has satisfied so far. */
static int diagnose(struct sym_planner *planner, const struct sym_rule *rule, struct sym_rule_state *state)
{
  int result = rule->kind == SYM_RULE_TYPE ? try_types(planner, rule, state) : try_functions(planner, rule, state);
  if (result == 0 && !state->known && state->problem.depth == SYM_PROBLEM_NONE)
    result = name_is_unknown(planner, rule, state);
  return result;
}

/* "function dot: no parameter 'q' ..." */
static const char *describe(struct sym_planner *planner, const struct sym_rule *rule, const struct sym_problem *problem)
{
  if (problem->depth == SYM_PROBLEM_NAME || problem->depth == SYM_PROBLEM_DECLARED)
    return problem->text;
  return base_arena_printf(&planner->arena, "%s %s: %s", rule->kind == SYM_RULE_TYPE ? "type" : "function", rule->name,
                           problem->text);
}

static int fill_section(struct sym_planner *planner)
{
  const struct sym_rule_set *set = &planner->sets[1];
  planner->rule_count = set->rules ? (uint32_t)set->rules->count : 0;
  planner->rules = calloc(planner->rule_count + 1, sizeof *planner->rules);
  if (!planner->rules)
    return -ENOMEM;
  for (uint32_t i = 0; i < planner->rule_count; i++) {
    const struct sym_rule_state *state = &set->states[i];
    struct fmt_index_rule *rule = &planner->rules[i];
    rule->line = set->rules->rules[i].line;
    rule->uses = state->uses;
    if (state->known || set->rules->rules[i].is_soft)
      continue;
    rule->depth = (uint32_t)state->problem.depth;
    const char *text = describe(planner, &set->rules->rules[i], &state->problem);
    int result = text ? base_strings_add(planner->options.strings, text, &rule->problem) : -ENOMEM;
    if (result < 0)
      return result;
  }
  return 0;
}

/* The module's own rules must all fit it. */
static int tell_own_problems(struct sym_planner *planner)
{
  const struct sym_rule_set *set = &planner->sets[0];
  int result = 0;
  for (size_t i = 0; set->rules && i < set->rules->count; i++) {
    const struct sym_rule *rule = &set->rules->rules[i];
    const struct sym_rule_state *state = &set->states[i];
    if (state->known || rule->is_soft)
      continue;
    const char *origin = sym_rule_origin(&planner->arena, planner, 0, rule);
    const char *text = describe(planner, rule, &state->problem);
    const char *line = origin && text ? base_arena_printf(&planner->arena, "%s: %s", origin, text) : NULL;
    if (!line)
      return -ENOMEM;
    if (planner->options.message)
      planner->options.message(line, planner->options.data);
    result = -EINVAL;
  }
  return result;
}

int sym_rule_diagnostics_make(struct sym_planner *planner)
{
  planner->is_diagnosing = true;
  for (int set = 0; set < SYM_RULE_SETS; set++) {
    const struct sym_rules *rules = planner->sets[set].rules;
    for (size_t i = 0; rules && i < rules->count; i++) {
      struct sym_rule_state *state = &planner->sets[set].states[i];
      int result = state->known || rules->rules[i].is_soft ? 0 : diagnose(planner, &rules->rules[i], state);
      if (result < 0)
        return result;
    }
  }
  int result = fill_section(planner);
  return result < 0 ? result : tell_own_problems(planner);
}
