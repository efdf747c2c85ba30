/* Looks for a law without the few sizes that are far off it. */
#include "output/scaling/strays.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "output/scaling/doubt.h"
#include "output/scaling/shortest.h"

/* A point that is off by less is none: the logarithm of 1.5. */
#define STRAY 0.40546510810816438
/* And it is so many times as far off as the others usually are. */
#define FARTHER 3.0

static const double *values_of(const struct out_points *points, uint32_t point)
{
  return points->values + (size_t)point * points->candidates;
}

/* How far the point is off, as the logarithm of its time by that of the law. */
static double deviation_at(const struct out_points *points, const struct out_fit *fit, uint32_t point)
{
  double fitted = out_fit_at(fit, values_of(points, point));
  return fitted > 0 ? fabs(log(points->times[point] / fitted)) : 0;
}

/* True where an argument is largest: what grows shows there. */
static bool is_at_end(const struct out_points *points, uint32_t point)
{
  for (uint32_t c = 0; c < points->candidates; c++) {
    double largest = 0;
    for (uint32_t i = 0; i < points->count; i++)
      largest = fmax(largest, values_of(points, i)[c]);
    if (values_of(points, point)[c] >= largest)
      return true;
  }
  return false;
}

/* The point that is the farthest off the law and may be left out; UINT32_MAX: none is off by so much. */
static uint32_t farthest_of(const struct out_points *points, const struct out_fit *fit)
{
  uint32_t farthest = UINT32_MAX;
  double most = STRAY;
  for (uint32_t i = 0; i < points->count; i++) {
    double deviation = deviation_at(points, fit, i);
    if (deviation > most && !is_at_end(points, i)) {
      most = deviation;
      farthest = i;
    }
  }
  return farthest;
}

/* The finding's points but one, in memory of the arena. -ENOMEM. */
static int without_point(const struct out_scaling_finding *finding, struct base_arena *arena, uint32_t left_out,
                         struct out_scaling_finding *rest)
{
  const struct out_points *all = &finding->points;
  const size_t stride = all->candidates, room = all->count;
  double *memory = base_arena_alloc(arena, room * (stride + 4) * sizeof *memory);
  if (!memory)
    return -ENOMEM;
  double *times = memory + room * stride, *weights = times + room, *calls = weights + room, *shortest = calls + room;
  *rest = *finding;
  rest->points =
      (struct out_points){.candidates = all->candidates, .values = memory, .times = times, .weights = weights};
  rest->calls = calls;
  rest->shortest = finding->shortest ? shortest : NULL;
  for (uint32_t i = 0; i < all->count; i++) {
    uint32_t at = rest->points.count;
    if (i == left_out)
      continue;
    memcpy(memory + at * stride, all->values + i * stride, stride * sizeof *memory);
    times[at] = all->times[i];
    weights[at] = all->weights[i];
    calls[at] = finding->calls[i];
    shortest[at] = finding->shortest ? finding->shortest[i] : 0;
    rest->points.count++;
  }
  return 0;
}

/* True when what was left out is far off the law that the others follow. */
static bool are_strays(const struct out_scaling_finding *finding, const struct out_scaling_finding *rest,
                       const uint32_t *left_out)
{
  for (uint32_t i = 0; i < rest->strays; i++) {
    double deviation = deviation_at(&finding->points, &rest->verdict.fit, left_out[i]);
    if (!(deviation > STRAY) || !(deviation > FARTHER * rest->verdict.fit.left_out))
      return false;
  }
  return true;
}

/* Leaves out one point more. Sets *found when the others have a law, which is then that of `rest`. */
static int leave_one(const struct out_scaling_samples *samples, enum out_scaling_waits waits,
                     const struct out_scaling_finding *finding, const uint32_t *left_out,
                     struct out_scaling_finding *rest, bool *found)
{
  int result = out_choose(&rest->points, &rest->verdict);
  if (result < 0)
    return result;
  rest->kind = (enum out_scaling_kind)rest->verdict.kind;
  rest->doubt = OUT_DOUBT_NONE;
  if (rest->kind == OUT_SCALING_LAW)
    result = out_scaling_doubt(samples, rest);
  if (result == 0 && rest->kind == OUT_SCALING_LAW)
    result = out_scaling_ask_shortest(samples, waits, rest);
  *found = result == 0 && rest->kind == OUT_SCALING_LAW && are_strays(finding, rest, left_out);
  return result;
}

int out_scaling_leave_strays(const struct out_scaling_samples *samples, enum out_scaling_waits waits,
                             struct base_arena *arena, struct out_scaling_finding *finding)
{
  const uint32_t count = finding->points.count, part = (count + OUT_SCALING_STRAY_PART - 1) / OUT_SCALING_STRAY_PART;
  const uint32_t most = part < OUT_SCALING_STRAYS ? part : OUT_SCALING_STRAYS;
  struct out_scaling_finding rest = *finding, before;
  uint32_t left_out[OUT_SCALING_STRAYS], number[OUT_SCALING_STRAYS + 1];
  int result = 0;
  bool found = false;
  if (finding->kind != OUT_SCALING_NONE || count < OUT_SCALING_STRAY_POINTS)
    return 0;
  while (result == 0 && !found && rest.strays < most) {
    uint32_t farthest = farthest_of(&rest.points, &rest.verdict.best);
    if (farthest == UINT32_MAX)
      break;
    /* Numbered as in the finding, those that were left out before it included. */
    left_out[rest.strays] = farthest;
    for (uint32_t i = rest.strays; i-- > 0;)
      left_out[rest.strays] += left_out[rest.strays] >= number[i];
    number[rest.strays] = farthest;
    before = rest;
    result = without_point(&before, arena, farthest, &rest);
    if (before.strays > 0)
      out_choice_free(&before.verdict);
    if (result < 0)
      return result;
    rest.strays = before.strays + 1;
    result = leave_one(samples, waits, finding, left_out, &rest, &found);
  }
  if (!found) {
    if (rest.strays > 0)
      out_choice_free(&rest.verdict);
    return result;
  }
  out_choice_free(&finding->verdict);
  *finding = rest;
  return 0;
}
