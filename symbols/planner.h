/*
 * Inside the planner: what planner.c, plan.c, judge.c and matching.c share.
 */
#ifndef CALLSIG_SYMBOLS_PLANNER_H
#define CALLSIG_SYMBOLS_PLANNER_H

#include "args.h"
#include "catalog.h"
#include "plan.h"

struct cs_plan_slot {
  void *addr; /* of the root DIE, NULL for a free slot */
  struct cs_plan *plan;
};

struct cs_planner {
  struct cs_planner_options options;
  struct cs_arena arena; /* plans and everything they point to, but for the two below */
  struct cs_types *types;
  struct cs_catalog *catalog;
  struct cs_ranges ranges;
  struct cs_rule_set sets[CS_RULE_SETS]; /* the module's own rules, then those of the rules file */
  struct cs_plan_slot *slots;
  size_t slot_count, used;
  struct cs_index_rule *rules; /* the section, after cs_planner_finish() */
  uint32_t rule_count;
  bool judging; /* what is planned now has no probe site */
};

/* What the names of rules are held against. */
struct cs_function_names {
  const char *qualified, *plain, *linkage, *file; /* "" when unknown */
};

/* Makes the plan of the function with this root DIE (plan.c), which owns nothing: all of it is the planner's. -ENOMEM,
 * -E2BIG. */
int cs_plan_make(struct cs_planner *planner, Dwarf_Die *root, struct cs_plan *plan);

/* The names of a function's root DIE. -ENOMEM. */
int cs_function_names(struct cs_planner *planner, Dwarf_Die *root, struct cs_function_names *names);

/* Whether a function or show rule is about the function. */
bool cs_rule_matches(const struct cs_rule *rule, const struct cs_function_names *names);

/* "rules.txt:3", or for the module's own rules "the note of PATH, rule 3". */
const char *cs_rule_origin(struct cs_arena *arena, const struct cs_planner *planner, int set,
                           const struct cs_rule *rule);

#endif
