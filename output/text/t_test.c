/* Computes Student's distribution, and Welch's test with it. */
#define _GNU_SOURCE
#include "output/text/t_test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method as Thompson and Barnett
 * modified it. */
static double beta_fraction(double a, double b, double x)
{
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double value = d;
  for (int m = 1; m <= 10000; m++) {
    double factors[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                         -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
    double step = 1;
    for (int i = 0; i < 2; i++) {
      d = 1 + factors[i] * d;
      c = 1 + factors[i] / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      c = fabs(c) < tiny ? tiny : c;
      step = c * d;
      value *= step;
    }
    if (fabs(step - 1) < 1e-15)
      break;
  }
  return value;
}

/* The regularised incomplete beta function. */
static double beta(double a, double b, double x)
{
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double out_t_two_sided(double t, double freedom)
{
  return beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double out_t_quantile(double probability, double freedom)
{
  double low = 0, high = 1;
  while (out_t_two_sided(high, freedom) > probability && high < 1e150)
    high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
    double middle = low + (high - low) / 2;
    if (out_t_two_sided(middle, freedom) > probability)
      low = middle;
    else
      high = middle;
  }
  return high;
}

struct out_sample out_sample_of(const double *values, size_t count, double floor)
{
  struct out_sample sample = {.count = count, .variance = 0};
  for (size_t i = 0; i < count; i++)
    sample.mean += values[i] / (double)count;
  for (size_t i = 0; i < count && count > 1; i++)
    sample.variance += (values[i] - sample.mean) * (values[i] - sample.mean) / (double)(count - 1);
  if (sample.variance < floor)
    sample.variance = floor;
  return sample;
}

struct out_welch out_welch_test(const struct out_sample *old, const struct out_sample *new, double confidence)
{
  struct out_welch welch = {.change = new->mean - old->mean, .p = 1};
  double a = old->variance / (double)old->count, b = new->variance / (double)new->count, square = a + b;
  if (square > 0) {
    double freedom = square * square / (a * a / (double)(old->count - 1) + b * b / (double)(new->count - 1));
    double error = sqrt(square), half = out_t_quantile(1 - confidence, freedom) * error;
    welch.p = out_t_two_sided(fabs(welch.change) / error, freedom);
    welch.low = welch.change - half;
    welch.high = welch.change + half;
  } else {
    /* Neither side varies at all: what differs, differs. */
    welch.p = welch.change != 0 ? 0 : 1;
    welch.low = welch.high = welch.change;
  }
  return welch;
}

static int by_p(const void *left, const void *right, void *data)
{
  const double *p = data;
  double a = p[*(const size_t *)left], b = p[*(const size_t *)right];
  return a < b ? -1 : a > b;
}

void out_holm(const double *p, size_t count, size_t *order, double *adjusted)
{
  for (size_t i = 0; i < count; i++)
    order[i] = i;
  qsort_r(order, count, sizeof *order, by_p, (void *)(uintptr_t)p);
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    double scaled = p[order[i]] * (double)(count - i);
    largest = scaled > largest ? scaled : largest;
    adjusted[order[i]] = largest < 1 ? largest : 1;
  }
}
