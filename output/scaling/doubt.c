/* Doubts a law that is far off its points, whose leading term is hardly more than that, or that only a few calls of the
 * largest size bear. */
#include "output/scaling/doubt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A time near the clock's least counts by this part of another one: enough for a constant that nothing else is known
 * of, too little to bend a law. */
#define NEAR_WEIGHT 0.01
/* A law is of so many other times at least: two lie on any. */
#define CLEAR 3u

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

/* The points whose value of `candidate` is below `end`, with little weight where their times are below `near`, in
 * memory that the caller frees at points->values. */
static int weigh_again(const struct out_points *all, uint32_t candidate, double end, double near,
                       struct out_points *rest)
{
  const size_t stride = all->candidates;
  double sum = 0;
  double *memory = calloc(all->count * (stride + 2) + 1, sizeof *memory);
  if (!memory)
    return -ENOMEM;
  double *times = memory + all->count * stride, *weights = times + all->count;
  *rest = (struct out_points){.candidates = all->candidates, .values = memory, .times = times, .weights = weights};
  for (uint32_t i = 0; i < all->count; i++) {
    if (value_at(all, i, candidate) >= end)
      continue;
    memcpy(memory + rest->count * stride, all->values + i * stride, stride * sizeof *memory);
    times[rest->count] = all->times[i];
    weights[rest->count] = all->weights[i] * (all->times[i] < near ? NEAR_WEIGHT : 1);
    sum += weights[rest->count++];
  }
  for (uint32_t i = 0; i < rest->count; i++)
    weights[i] *= rest->count / sum;
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
  int result = weigh_again(&finding->points, candidate, largest, 0, &rest);
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

uint32_t out_scaling_count_clear(const struct out_points *points, double near)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < points->count; i++)
    count += points->times[i] >= near;
  return count;
}

/* Has the law be the one that hardly hangs on times near the clock's least, where that is another, and name what the
 * other times do not tell from it. */
static int take_rest(struct out_scaling_finding *finding, uint32_t too_short, struct out_choice *rest)
{
  int result = 0;
  if (!out_law_same_name(&rest->fit.law, &finding->verdict.fit.law)) {
    const struct out_choice whole = finding->verdict;
    finding->verdict = *rest;
    finding->too_short = too_short;
    *rest = whole;
    return 0;
  }
  for (uint32_t i = 0; i < rest->rivals.count && result == 0; i++)
    result = out_choice_add_rival(&finding->verdict, base_vector_at(&rest->rivals, i));
  return result;
}

/* Times near the clock's least look flat, and what grows behind them bent: the others decide the law. */
static int ask_beyond_clock(struct out_scaling_finding *finding)
{
  struct out_points rest;
  struct out_choice choice;
  finding->too_short = 0;
  int result = weigh_again(&finding->points, 0, INFINITY, finding->near, &rest);
  if (result < 0)
    return result;
  const uint32_t clear = out_scaling_count_clear(&finding->points, finding->near),
                 too_short = finding->points.count - clear;
  if (too_short > 0 && clear < CLEAR) {
    out_scaling_give_up(finding, OUT_DOUBT_CLOCK);
  } else if (too_short > 0) {
    result = out_choose(&rest, &choice);
    if (result == 0 && choice.kind == OUT_CHOICE_LAW)
      result = take_rest(finding, too_short, &choice);
    else if (result == 0)
      out_scaling_give_up(finding, OUT_DOUBT_CLOCK);
    if (result == 0)
      out_choice_free(&choice);
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
  int result = ask_beyond_clock(finding);
  if (result < 0 || finding->kind != OUT_SCALING_LAW)
    return result;
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
    result = hangs_on_largest(finding, law->arguments[i], &hangs);
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
