/*
 * Inside the planner: what planner.c, plan.c, judge.c and matching.c share.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_PLANNER_H
#define CALLSIG_SYMBOLS_PLAN_PLANNER_H

#include "symbols/dwarf/catalog.h"
#include "symbols/plan/args.h"
#include "symbols/plan/plan.h"

struct sym_plan_slot {
  void *addr; /* of the root DIE, NULL for a free slot */
  struct sym_plan *plan;
};

struct sym_planner {
  struct sym_planner_options options;
  struct base_arena arena; /* plans and everything they point to, but for the two below */
  struct sym_types *types;
  struct sym_catalog *catalog;
  struct sym_ranges ranges;
  struct sym_rule_set sets[SYM_RULE_SETS]; /* the module's own rules, then those of the rules file */
  struct sym_plan_slot *slots;
  size_t slot_count, used;
  struct fmt_index_rule *rules; /* the section, after sym_planner_finish() */
  uint32_t rule_count;
  bool judging; /* what is planned now has no probe site */
};

/* What the names of rules are held against. */
struct sym_function_names {
  const char *qualified, *plain, *linkage, *file; /* "" when unknown */
};

/* Makes the plan of the function with this root DIE (plan.c), which owns nothing: all of it is the planner's. -ENOMEM,
 * -E2BIG. */
int sym_plan_make(struct sym_planner *planner, Dwarf_Die *root, struct sym_plan *plan);

/* The names of a function's root DIE. -ENOMEM. */
int sym_function_names(struct sym_planner *planner, Dwarf_Die *root, struct sym_function_names *names);

/* Whether a function or show rule is about the function. */
bool sym_rule_matches(const struct sym_rule *rule, const struct sym_function_names *names);

/* "rules.txt:3", or for the module's own rules "the note of PATH, rule 3". */
const char *sym_rule_origin(struct base_arena *arena, const struct sym_planner *planner, int set,
                            const struct sym_rule *rule);

#endif
