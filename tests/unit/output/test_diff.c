/* What a comparison is made of: the statistical test against numbers integrated here, and names without suffixes. */
#include <math.h>

#include "output/diff/match_functions.h"
#include "output/text/t_test.h"
#include "tests/support/output_sample.h"

/* Student's density integrated by Simpson's rule, after t = tan(a). */
static double integrated(double t, double freedom)
{
  const int steps = 200000;
  double from = atan(t), step = (M_PI / 2 - from) / steps, sum = 0;
  double front = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * M_PI);
  for (int i = 0; i < steps; i++) {
    double a = from + i * step, weight = i == 0 ? 1 : (i % 2 ? 4 : 2), x = tan(a);
    sum += weight * front * pow(1 + x * x / freedom, -(freedom + 1) / 2) * (1 + x * x);
  }
  /* The end, where the density times its stretch is 0 but for one degree of freedom. */
  sum += freedom == 1 ? front : 0;
  return 2 * sum * step / 3;
}

static void student(void **state)
{
  (void)state;
  static const double freedoms[] = {1, 1.5, 2, 3.7, 8, 30, 200};
  static const double ts[] = {0, 0.1, 0.7, 1, 2, 5, 12, 60};
  for (size_t i = 0; i < sizeof freedoms / sizeof freedoms[0]; i++) {
    for (size_t k = 0; k < sizeof ts / sizeof ts[0]; k++) {
      double p = out_t_two_sided(ts[k], freedoms[i]), expected = integrated(ts[k], freedoms[i]);
      if (fabs(p - expected) > 1e-6 * expected + 1e-12)
        fail_msg("t %g with %g degrees: %.12g, integrated %.12g", ts[k], freedoms[i], p, expected);
      if (p < 1 && fabs(out_t_quantile(p, freedoms[i]) - ts[k]) > 1e-6 * ts[k])
        fail_msg("quantile of t %g with %g degrees", ts[k], freedoms[i]);
    }
  }
  /* Closed forms: one degree of freedom is Cauchy's distribution, two have a root. */
  assert_true(fabs(out_t_two_sided(1, 1) - 0.5) < 1e-14);
  assert_true(fabs(out_t_two_sided(sqrt(2), 2) - (1 - sqrt(0.5))) < 1e-14);
}

static void welch(void **state)
{
  (void)state;
  /* Means 2 and 5, variances 1 and 4 of three values each: t = 3 / sqrt(5/3), df = (5/3)^2 / ((1/9 + 16/9) / 2). */
  const double old[] = {1, 2, 3}, new[] = {3, 5, 7};
  struct out_sample a = out_sample_of(old, 3, 0), b = out_sample_of(new, 3, 0);
  struct out_welch test = out_welch_test(&a, &b, 0.95);
  double freedom = (25.0 / 9) / (17.0 / 18), t = 3 / sqrt(5.0 / 3);
  assert_true(fabs(test.change - 3) < 1e-12);
  assert_true(fabs(test.p - integrated(t, freedom)) < 1e-9);
  assert_true(fabs((test.high + test.low) / 2 - 3) < 1e-9);
  assert_true(fabs(integrated((test.high - 3) / sqrt(5.0 / 3), freedom) - 0.05) < 1e-9);
  /* What does not vary: different is different, and the floor keeps a clock's grain from being a change. */
  const double same[] = {4, 4}, other[] = {5, 5};
  a = out_sample_of(same, 2, 0);
  b = out_sample_of(other, 2, 0);
  assert_true(out_welch_test(&a, &b, 0.95).p == 0);
  assert_true(out_welch_test(&a, &a, 0.95).p == 1);
  a = out_sample_of(same, 2, 1);
  b = out_sample_of(other, 2, 1);
  assert_true(out_welch_test(&a, &b, 0.95).p > 0.3);
  /* Holm: 4, 3, 2, 1 times, never less than the one before. */
  const double p[] = {0.03, 0.01, 0.04, 0.005};
  const double expected[] = {0.06, 0.03, 0.06, 0.02};
  double adjusted[4];
  size_t order[4];
  out_holm(p, 4, order, adjusted);
  for (size_t i = 0; i < 4; i++)
    assert_true(fabs(adjusted[i] - expected[i]) < 1e-12);
}

static void plain_names(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    size_t length;
  } names[] = {
      {"f", 1},
      {"f.constprop.0", 1},
      {"f.isra.0", 1},
      {"f.part.12", 1},
      {"f.cold", 1},
      {"f.llvm.123", 1},
      {"f.lto_priv.0", 1},
      {"f.isra.0.cold", 1},
      {"f.part.0.isra.3", 1},
      {"f.7", 3},
      {"f.table.7", 9},
      {".cold", 5},
      {"operator()", 10},
      {"f(int, ...)", 11},
      {"f.table", 7},
      {"f.table.7.cold", 9},
      {"", 0},
      {"f.", 2},
      {"f.0.constprop.0", 3},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (out_plain_name(names[i].name) != names[i].length)
      fail_msg("%s: %zu", names[i].name, out_plain_name(names[i].name));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(student),
      cmocka_unit_test(welch),
      cmocka_unit_test(plain_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
