/*
 * Student's distribution, and Welch's test of two samples with it.
 *
 * B. L. Welch, "The generalization of 'Student's' problem when several different population variances are involved",
 * Biometrika 34 (1947); the degrees of freedom are Satterthwaite's. Pure functions.
 */
#ifndef CALLSIG_OUTPUT_TEXT_T_TEST_H
#define CALLSIG_OUTPUT_TEXT_T_TEST_H

#include <stddef.h>

/* The probability that |t| is at least `t` (not negative) under Student's distribution with `freedom` degrees of
 * freedom (positive, not necessarily whole). */
double out_t_two_sided(double t, double freedom);

/* The t whose out_t_two_sided() is `probability`, in (0, 1]. */
double out_t_quantile(double probability, double freedom);

/* The mean of `count` values and their variance, which is at least `floor`; of a single value the floor. */
struct out_sample {
  double mean, variance;
  size_t count;
};
struct out_sample out_sample_of(const double *values, size_t count, double floor);

/* Two samples compared: the change of the mean, the interval that holds it with `confidence`, and the probability of
 * such a change between samples whose means are the same. Both need at least two values. */
struct out_welch {
  double change, low, high, p;
};
struct out_welch out_welch_test(const struct out_sample *old, const struct out_sample *new, double confidence);

/* Holm's correction (S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6 (1979)): `adjusted[i]` below a level for any i happens by chance with at most that probability. `order`
 * is room for `count` numbers. */
void out_holm(const double *p, size_t count, size_t *order, double *adjusted);

#endif
