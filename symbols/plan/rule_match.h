/*
 * Which functions a rule is about, and where the rule was written.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_RULE_MATCH_H
#define CALLSIG_SYMBOLS_PLAN_RULE_MATCH_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/arena.h"
#include "symbols/plan/planner.h"
#include "symbols/plan/rules.h"

/* What the names of rules are held against. */
struct sym_function_names {
  const char *qualified, *plain, *linkage, *file; /* "" when unknown */
};

/* The names of a function's root DIE. -ENOMEM. */
int sym_function_names(struct sym_planner *planner, Dwarf_Die *root, struct sym_function_names *names);

/* Whether the function is a constructor of the class that a pointer of this type leads to. */
bool sym_function_constructs(const struct sym_function_names *names, Dwarf_Die pointer);

/* Whether a function or show rule is about the function. */
bool sym_rule_matches(const struct sym_rule *rule, const struct sym_function_names *names);

/* "rules.txt:3", or for the module's own rules "the note of PATH, rule 3". */
const char *sym_rule_origin(struct base_arena *arena, const struct sym_planner *planner, int set,
                            const struct sym_rule *rule);

#endif
