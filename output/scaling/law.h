/*
 * Laws: the forms that a function's time per call may have, in the performance model normal form of Extra-P (A.
 * Calotoiu, T. Hoefler, M. Poke, F. Wolf: Using Automated Performance Modeling to Find Scalability Bugs in Complex
 * Codes, SC'13; for several parameters: Fast Multi-Parameter Performance Modeling, CLUSTER 2016): a constant and a few
 * terms, each a coefficient times a product of n^i * log2(n)^j of its arguments.
 */
#ifndef CALLSIG_OUTPUT_SCALING_LAW_H
#define CALLSIG_OUTPUT_SCALING_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/text/text.h"

enum out_growth {
  OUT_GROWTH_NONE,
  OUT_GROWTH_LOG,
  OUT_GROWTH_N,
  OUT_GROWTH_N_LOG,
  OUT_GROWTH_N2,
  OUT_GROWTH_N3,
  OUT_GROWTH_COUNT,
  /* No laws: what fits these better than any law grows faster than all of them. */
  OUT_GROWTH_N4 = OUT_GROWTH_COUNT,
  OUT_GROWTH_EXPONENTIAL_SLOW, /* 1.5^n */
  OUT_GROWTH_EXPONENTIAL,      /* 2^n */
  OUT_GROWTH_STEEPEST = OUT_GROWTH_EXPONENTIAL,
};

#define OUT_LAW_ARGUMENTS 3u
#define OUT_LAW_TERMS     3u /* beside the constant */

/* Time = c[0] + sum of c[1 + t] * product over a of growth[t][a](argument a). */
struct out_law {
  uint8_t argument_count, term_count;
  uint8_t leading;                                  /* the first so many terms name the law; the rest are slower */
  uint8_t arguments[OUT_LAW_ARGUMENTS];             /* candidates' numbers */
  uint8_t growth[OUT_LAW_TERMS][OUT_LAW_ARGUMENTS]; /* enum out_growth */
  /* What one step of the first term costs becomes more as the size, the product of the arguments, goes from `from` to
   * `to`: data leave a cache there. */
  bool is_stepped;
  double from, to;
};

/* The logarithm that laws are made of: that of base 2, and 0 below 1 (a call with nothing to do). */
double out_law_logarithm(double value);

/* One growth at `value`, whose logarithm the caller has at hand, as it is the same for all laws. */
double out_law_growth(enum out_growth growth, double value, double logarithm);

/* Term `term` at a point whose candidates' values are `values`. */
double out_law_term(const struct out_law *law, uint32_t term, const double *values);

/* The size that a stepped law goes by, and how much of its step is taken there: 0 up to `from`, 1 from `to` on. */
double out_law_size(const struct out_law *law, const double *values);
double out_law_step(const struct out_law *law, const double *values);

/* All laws of `count` candidates (at most OUT_LAW_CANDIDATES), constant first: of one argument one or two terms, of two
 * arguments a product, a sum, and a product beside a term of one of them, of three arguments their product and their
 * sum. Each is given to `take` with `data`; a value other than 0 ends it and is returned. */
#define OUT_LAW_CANDIDATES 8u
int out_laws_each(uint32_t count, int (*take)(const struct out_law *law, void *data), void *data);

/* True when the law is none, but one of the growths beyond them. */
bool out_law_is_steeper(const struct out_law *law);

/* True when both have the same name: the same leading terms, of whatever else beside. */
bool out_law_same_name(const struct out_law *left, const struct out_law *right);

/* True when the leading terms of `plain` are those of `law` without some of its logarithms: n * m of n * m log m. */
bool out_law_is_plain_form(const struct out_law *plain, const struct out_law *law);

/* Appends the name: "constant", "n log n", "n * m", "n + m^2". */
void out_law_name(const struct out_law *law, const char *const *names, struct out_text *text);

/* Appends one term's name. */
void out_law_term_name(const struct out_law *law, uint32_t term, const char *const *names, struct out_text *text);

#endif
