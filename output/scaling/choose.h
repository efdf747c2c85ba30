/*
 * Which law the points of a function follow, and which others they do not tell from it. docs/scaling.md gives the
 * thresholds and their reasons.
 */
#ifndef CALLSIG_OUTPUT_SCALING_CHOOSE_H
#define CALLSIG_OUTPUT_SCALING_CHOOSE_H

#include "fit.h"
#include "vector.h"

/* Two laws are told apart when their scores differ by this: evidence of exp(6 / 2), about 20 to 1. */
#define CS_CHOOSE_APART 6.0
/* Deviations of up to 1.345 times this count by their square, however small the usual ones are. */
#define CS_CHOOSE_SCALE 0.10
/* A time that deviates by more than this, root mean square of the logarithm, is not constant. */
#define CS_CHOOSE_CONSTANT 0.20
/* A law explains at least this part of the variance of the logarithms of the times. */
#define CS_CHOOSE_EXPLAINED 0.70
/* The fitted times of a law differ by at least this factor: less is constant. */
#define CS_CHOOSE_GROWTH 1.10
/* A leading term makes up at least this part of the time at three points: one call that was slow makes no law. */
#define CS_CHOOSE_SHARE 0.10

enum cs_choice_kind {
  CS_CHOICE_LAW,
  CS_CHOICE_CONSTANT, /* the arguments vary, the time does not */
  CS_CHOICE_NONE,     /* the time varies, and no law explains it */
};

struct cs_choice {
  enum cs_choice_kind kind;
  struct cs_fit fit;       /* of the law; of the constant when there is none */
  bool is_steeper;         /* there is none because the time grows faster than any law */
  struct cs_vector rivals; /* struct cs_law: of other names, which the points do not tell from it. Owned */
};

/* Finds the law of `points`, which have at least one candidate. 0 or -ENOMEM. Free with cs_choice_free(). */
int cs_choose(const struct cs_points *points, struct cs_choice *verdict);

void cs_choice_free(struct cs_choice *verdict);

#endif
