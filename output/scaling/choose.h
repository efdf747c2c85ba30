/*
 * Which law the points of a function follow, and which others they do not tell from it. docs/scaling.md gives the
 * thresholds and their reasons.
 */
#ifndef CALLSIG_OUTPUT_SCALING_CHOOSE_H
#define CALLSIG_OUTPUT_SCALING_CHOOSE_H

#include "base/vector.h"
#include "output/scaling/fit.h"

/* Two laws are told apart when their scores differ by this: evidence of exp(6 / 2), about 20 to 1. */
#define OUT_CHOOSE_APART 6.0
/* Deviations of up to 1.345 times this count by their square, however small the usual ones are. */
#define OUT_CHOOSE_SCALE 0.10
/* A time that deviates by more than this, root mean square of the logarithm, is not constant. */
#define OUT_CHOOSE_CONSTANT 0.20
/* A law explains at least this part of the variance of the logarithms of the times. */
#define OUT_CHOOSE_EXPLAINED 0.70
/* The fitted times of a law differ by at least this factor: less is constant. */
#define OUT_CHOOSE_GROWTH 1.10
/* A law is not told from one with fewer terms, or without its logarithms, while that is off by no more, however even
 * its deviations are: with the size, caches and pipelines change what one step takes by as much. The logarithm of 1.15.
 */
#define OUT_CHOOSE_STEP 0.13976194237515868
/* Nor from the same without its logarithms while that is off by no more than this: over three decades a logarithm grows
 * as what a step takes does from the first cache to the last. The logarithm of 1.25. */
#define OUT_CHOOSE_LOG_STEP 0.22314355131420976
/* A leading term makes up at least this part of the time at three points: one call that was slow makes no law. */
#define OUT_CHOOSE_SHARE 0.10

enum out_choice_kind {
  OUT_CHOICE_LAW,
  OUT_CHOICE_CONSTANT, /* the arguments vary, the time does not */
  OUT_CHOICE_NONE,     /* the time varies, and no law explains it */
};

struct out_choice {
  enum out_choice_kind kind;
  struct out_fit fit;        /* of the law; of the constant when there is none */
  struct out_fit best;       /* of the best law, whether or not it is one; of the constant where that is best */
  bool is_steeper;           /* there is none because the time grows faster than any law */
  struct base_vector rivals; /* struct out_law: of other names, which the points do not tell from it. Owned */
};

/* Finds the law of `points`, which have at least one candidate. 0 or -ENOMEM. Free with out_choice_free(). */
int out_choose(const struct out_points *points, struct out_choice *verdict);

/* True when this is the law of the verdict, or one that the points do not tell from it. */
bool out_choice_names(const struct out_choice *verdict, const struct out_law *law);

/* Makes the law one of those that the points do not tell from the verdict's, if it is none yet, or no more. 0 or
 * -ENOMEM. */
int out_choice_add_rival(struct out_choice *verdict, const struct out_law *law);
void out_choice_drop_rival(struct out_choice *verdict, const struct out_law *law);

void out_choice_free(struct out_choice *verdict);

#endif
