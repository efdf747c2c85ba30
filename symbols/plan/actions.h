/*
 * What the words of a rule make of one value: a string, a bucket, a number, elements, or nothing that is read.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_ACTIONS_H
#define CALLSIG_SYMBOLS_PLAN_ACTIONS_H

#include "symbols/plan/args.h"

/* Adds the arg that the words of a rule make of a value. -ENOMEM; -EINVAL with `problem` when they do not fit it. */
int sym_args_add_action(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                        const struct sym_rule_how *how, const char *why, struct sym_problem *problem);

/* Adds the elements [from..to] of an array as one arg. -ENOMEM; -EINVAL with `problem`. */
/* Adds how many elements the pointer that the value is lies behind the one at `minus`. */
int sym_args_add_distance(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule_path *minus,
                          struct sym_problem *problem);

int sym_args_add_span(struct sym_args *args, const struct sym_args_value *value, const struct sym_rule_path *path,
                      const char *why, struct sym_problem *problem);

#endif
