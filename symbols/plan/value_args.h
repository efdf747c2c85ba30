/*
 * The args that one value makes: one arg, or a group and what is in it.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_VALUE_ARGS_H
#define CALLSIG_SYMBOLS_PLAN_VALUE_ARGS_H

#include "symbols/plan/args.h"

/* Adds what prints `value`: one arg, or a group and its children. `why` explains the choice of the first. -EINVAL with
 * `problem` when `how` does not fit the value: nothing is added then. */
int sym_args_add(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule_how *how,
                 const char *why, struct sym_problem *problem);

/* Carries out one type rule for `value`, whatever its type's name is. -EINVAL with `problem`: nothing is added. */
int sym_args_try_group(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule *rule,
                       struct sym_problem *problem);

#endif
