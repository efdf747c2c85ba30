/*
 * Conditions on the arguments of a call: 'n >= 4096 && mode == FAST'. docs/expressions.md describes the language.
 *
 * Three-valued: an argument that was lost, widened too far or that the function does not have makes a comparison
 * neither true nor false. Not thread-safe: evaluating remembers where names were found.
 */
#ifndef CALLSIG_OUTPUT_STATS_EXPRESSION_H
#define CALLSIG_OUTPUT_STATS_EXPRESSION_H

#include "output/profile/profile.h"
#include "output/profile/signature.h"

enum out_truth { OUT_FALSE, OUT_TRUE, OUT_UNKNOWN };

struct out_expression;

/* Parses `text`. -EINVAL after a message that points at the column of the mistake; -ENOMEM. */
int out_expression_parse(const char *text, struct out_expression **expression);
void out_expression_free(struct out_expression *expression);

/* Every name must be an argument of some function, an enumerator or a function of the profile: -EINVAL after a message
 * that points at the one that is not. */
int out_expression_check(struct out_expression *expression, const struct out_profile *profile);

/* Is it true of this signature? -ENOMEM. `*missing` is set when the answer is OUT_UNKNOWN because an argument that the
 * function has was not recorded exactly enough. */
int out_expression_evaluate(struct out_expression *expression, const struct out_profile *profile, uint32_t signature,
                            struct out_arguments *scratch, enum out_truth *truth, bool *missing);

#endif
