/*
 * Conditions on the arguments of a call: 'n >= 4096 && mode == FAST'. docs/expressions.md describes the language.
 *
 * Three-valued: an argument that was lost, widened too far or that the function does not have makes a comparison
 * neither true nor false, and so do sides that cannot be compared. Not thread-safe: evaluating remembers where names
 * were found.
 */
#ifndef CALLSIG_OUTPUT_STATS_EXPRESSION_H
#define CALLSIG_OUTPUT_STATS_EXPRESSION_H

#include "output/profile/profile.h"
#include "output/profile/signature.h"

enum out_truth { OUT_FALSE, OUT_TRUE, OUT_UNKNOWN };

/* Why a condition is neither true nor false of a call. Of two conditions that have to hold together the reason counts
 * that comes first here, of two of which one suffices that which comes last. */
enum out_why {
  OUT_WHY_DECIDED,
  OUT_WHY_ABSENT,       /* the function has no such argument: no call of it is asked for */
  OUT_WHY_INCOMPARABLE, /* an enumeration with a text, for example: nothing that is recorded settles it */
  OUT_WHY_MISSING,      /* an argument was not recorded exactly enough */
};

struct out_expression;

/* Parses `text`. -EINVAL after a message that points at the column of the mistake; -ENOMEM. */
int out_expression_parse(const char *text, struct out_expression **expression);
void out_expression_free(struct out_expression *expression);

/* Every name must be an argument of some function, an enumerator or a function of the profile: -EINVAL after a message
 * that points at the one that is not. Comes before the expression is evaluated. */
int out_expression_check(struct out_expression *expression, const struct out_profile *profile);

/* Is it true of this signature? -ENOMEM. `*why` is why the answer is OUT_UNKNOWN, when it is. */
int out_expression_evaluate(struct out_expression *expression, const struct out_profile *profile, uint32_t signature,
                            struct out_arguments *scratch, enum out_truth *truth, enum out_why *why);

#endif
