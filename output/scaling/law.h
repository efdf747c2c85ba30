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

#include "text.h"

enum cs_growth {
  CS_GROWTH_NONE,
  CS_GROWTH_LOG,
  CS_GROWTH_N,
  CS_GROWTH_N_LOG,
  CS_GROWTH_N2,
  CS_GROWTH_N3,
  CS_GROWTH_COUNT,
  /* No laws: what fits these better than any law grows faster than all of them. */
  CS_GROWTH_N4 = CS_GROWTH_COUNT,
  CS_GROWTH_EXPONENTIAL_SLOW, /* 1.5^n */
  CS_GROWTH_EXPONENTIAL,      /* 2^n */
  CS_GROWTH_STEEPEST = CS_GROWTH_EXPONENTIAL,
};

#define CS_LAW_ARGUMENTS 3u
#define CS_LAW_TERMS     3u /* beside the constant */

/* Time = c[0] + sum of c[1 + t] * product over a of growth[t][a](argument a). */
struct cs_law {
  uint8_t argument_count, term_count;
  uint8_t leading;                                /* the first so many terms name the law; the rest are slower */
  uint8_t arguments[CS_LAW_ARGUMENTS];            /* candidates' numbers */
  uint8_t growth[CS_LAW_TERMS][CS_LAW_ARGUMENTS]; /* enum cs_growth */
};

/* The value of one growth: log is that of base 2, and 0 below 1 (a call with nothing to do). */
double cs_growth_at(enum cs_growth growth, double value);

/* Term `term` at a point whose candidates' values are `values`. */
double cs_law_term(const struct cs_law *law, uint32_t term, const double *values);

/* All laws of `count` candidates (at most CS_LAW_CANDIDATES), constant first: of one argument one or two terms, of two
 * arguments a product, a sum, and a product beside a term of one of them, of three arguments their product and their
 * sum. Each is given to `take` with `data`; a value other than 0 ends it and is returned. */
#define CS_LAW_CANDIDATES 8u
int cs_laws_each(uint32_t count, int (*take)(const struct cs_law *law, void *data), void *data);

/* True when the law is none, but one of the growths beyond them. */
bool cs_law_is_steeper(const struct cs_law *law);

/* True when both have the same name: the same leading terms, of whatever else beside. */
bool cs_law_same_name(const struct cs_law *left, const struct cs_law *right);

/* Appends the name: "constant", "n log n", "n * m", "n + m^2". */
void cs_law_name(const struct cs_law *law, const char *const *names, struct cs_text *text);

/* Appends one term's name. */
void cs_law_term_name(const struct cs_law *law, uint32_t term, const char *const *names, struct cs_text *text);

#endif
