/*
 * Conditions on the arguments of a call: 'n >= 4096 && mode == FAST'. docs/expressions.md describes the language.
 *
 * Three-valued: an argument that was lost, widened too far or that the function does not have makes a comparison
 * neither true nor false. Not thread-safe: evaluating remembers where names were found.
 */
#ifndef CALLSIG_OUTPUT_EXPRESSION_H
#define CALLSIG_OUTPUT_EXPRESSION_H

#include "profile.h"
#include "signature.h"

enum cs_truth { CS_FALSE, CS_TRUE, CS_UNKNOWN };

struct cs_expression;

/* Parses `text`. -EINVAL after a message that points at the column of the mistake; -ENOMEM. */
int cs_expression_parse(const char *text, struct cs_expression **expression);
void cs_expression_free(struct cs_expression *expression);

/* Every name must be an argument of some function, an enumerator or a function of the profile: -EINVAL after a message
 * that points at the one that is not. */
int cs_expression_check(struct cs_expression *expression, const struct cs_profile *profile);

/* Is it true of this signature? -ENOMEM. `*missing` is set when the answer is CS_UNKNOWN because an argument that the
 * function has was not recorded exactly enough. */
int cs_expression_evaluate(struct cs_expression *expression, const struct cs_profile *profile, uint32_t signature,
                           struct cs_arguments *scratch, enum cs_truth *truth, bool *missing);

#endif
