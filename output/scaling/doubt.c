/* Doubts a law that is far off its points, whose leading term is hardly more than that, or that only a few calls of the
 * largest size bear. */
#include "output/scaling/doubt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of a law's argument at a point. */
static double value_at(const struct out_points *points, uint32_t point, uint32_t candidate)
{
  return points->values[(size_t)point * points->candidates + candidate];
}

static double largest_of(const struct out_points *points, uint32_t candidate)
{
  double largest = 0;
  for (uint32_t i = 0; i < points->count; i++)
    if (value_at(points, i, candidate) > largest)
      largest = value_at(points, i, candidate);
  return largest;
}

/* True when the calls at the largest value are few, and at most points they are not: where every size was called once,
 * none is less sure than the others. */
static bool is_rare(const struct out_scaling_finding *finding, uint32_t candidate, double largest)
{
  const struct out_points *points = &finding->points;
  double calls = 0;
  uint32_t often = 0;
  for (uint32_t i = 0; i < points->count; i++) {
    if (value_at(points, i, candidate) == largest)
      calls += finding->calls[i];
    often += finding->calls[i] >= OUT_SCALING_TRIMMED;
  }
  return calls < OUT_SCALING_TRIMMED && often * 2 > points->count;
}

/* The points but those of the largest value of `candidate`, in memory that the caller frees at points->values. */
static int without_largest(const struct out_points *all, uint32_t candidate, double largest, struct out_points *rest)
{
  const size_t stride = all->candidates;
  double *memory = calloc(all->count * (stride + 2) + 1, sizeof *memory);
  if (!memory)
    return -ENOMEM;
  double *times = memory + all->count * stride, *weights = times + all->count;
  *rest = (struct out_points){.candidates = all->candidates, .values = memory, .times = times, .weights = weights};
  for (uint32_t i = 0; i < all->count; i++) {
    if (value_at(all, i, candidate) == largest)
      continue;
    memcpy(memory + rest->count * stride, all->values + i * stride, stride * sizeof *memory);
    times[rest->count] = all->times[i];
    weights[rest->count++] = all->weights[i];
  }
  return 0;
}

/* Sets *hangs when the law is not found without the largest value of the argument. */
static int hangs_on_largest(const struct out_scaling_finding *finding, uint32_t candidate, bool *hangs)
{
  const double largest = largest_of(&finding->points, candidate);
  *hangs = false;
  if (!is_rare(finding, candidate, largest))
    return 0;
  struct out_points rest;
  int result = without_largest(&finding->points, candidate, largest, &rest);
  if (result < 0)
    return result;
  struct out_choice again;
  result = out_choose(&rest, &again);
  if (result == 0) {
    *hangs = !out_choice_names(&again, &finding->verdict.fit.law);
    out_choice_free(&again);
  }
  free((void *)rest.values);
  return result;
}

static int compare_numbers(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The factor by which the middle of a usual range of the argument may miss the values in it: 1 when they are exact. -1:
 * memory is short. */
static double usual_spread(const struct out_scaling_finding *finding, const struct out_scaling_argument *argument)
{
  if (!argument->is_bucketed || finding->row_count == 0)
    return 1;
  double *spreads = calloc(finding->row_count, sizeof *spreads);
  if (!spreads)
    return -1;
  for (uint32_t i = 0; i < finding->row_count; i++)
    spreads[i] = argument->spread[finding->rows[i]];
  qsort(spreads, finding->row_count, sizeof *spreads, compare_numbers);
  double usual = spreads[finding->row_count / 2];
  free(spreads);
  return usual;
}

double out_scaling_allowed_error(const struct out_scaling_samples *samples, const struct out_scaling_finding *finding,
                                 const struct out_law *law)
{
  double allowed = OUT_SCALING_ERROR;
  for (uint32_t i = 0; i < law->argument_count; i++) {
    uint32_t candidate = law->arguments[i];
    double spread = usual_spread(finding, out_scaling_argument(samples, finding->candidates[candidate]));
    if (spread < 0)
      return -1;
    allowed = fmax(allowed, log(spread));
  }
  return allowed;
}

void out_scaling_give_up(struct out_scaling_finding *finding, enum out_scaling_doubt why)
{
  finding->kind = OUT_SCALING_NONE;
  finding->doubt = why;
}

int out_scaling_doubt(const struct out_scaling_samples *samples, struct out_scaling_finding *finding)
{
  const struct out_law *law = &finding->verdict.fit.law;
  const double allowed = out_scaling_allowed_error(samples, finding, law);
  if (allowed < 0)
    return -ENOMEM;
  if (finding->verdict.fit.left_out > allowed) {
    out_scaling_give_up(finding, OUT_DOUBT_ERROR);
    return 0;
  }
  for (uint32_t i = 0; i < law->argument_count; i++) {
    bool hangs;
    int result = hangs_on_largest(finding, law->arguments[i], &hangs);
    if (result < 0)
      return result;
    if (hangs) {
      out_scaling_give_up(finding, OUT_DOUBT_FEW_CALLS);
      return 0;
    }
  }
  if (finding->verdict.fit.share < OUT_SCALING_CLEAR * finding->verdict.fit.left_out)
    out_scaling_give_up(finding, OUT_DOUBT_SHARE);
  return 0;
}
