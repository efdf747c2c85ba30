/*
 * How likely it is that one of several that do the same took longer by chance alone: that its tasks are drawn from all
 * of theirs at random.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_CHANCE_H
#define CALLSIG_OUTPUT_RECORDING_CHANCE_H

#include "output/recording/histogram.h"

/* What is less likely than that is no chance, where one is looked at; of several that each may be found, all of them
 * together. */
#define OUT_CHANCE 0.01

/* Times of tasks, each so often, in any unit. Zero-initialise; free with out_values_free(). */
struct out_values {
  struct base_vector list; /* struct out_value */
  double count, sum;
};

struct out_value {
  double value, count;
};

struct out_values out_values_new(void);
void out_values_free(struct out_values *values);

/* Adds those of a histogram, times `unit`. 0 or -ENOMEM. */
int out_values_add(struct out_values *values, const struct out_histogram *histogram, double unit);

/* At most so likely have `count` values that are drawn from these a mean of at least `mean`: Chernoff's bound (H.
 * Chernoff, "A measure of asymptotic efficiency for tests of a hypothesis based on the sum of observations", Annals of
 * Mathematical Statistics 23 (1952)), which holds for any distribution and any count. 1 without values. */
double out_values_chance(const struct out_values *values, double count, double mean);

#endif
