/* Bounds what hooks hide of a program from samples. */
#include "output/beside/hidden.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Seconds of a side of a call: on average, and the half width of an interval around it. Both were fitted to some 200
 * functions of five programs, whose times without hooks are known: docs/times.md. */
#define HIDDEN       0.5e-9
#define HIDDEN_ERROR 1.25e-9

/* Of what a function computes by itself, steps that wait for one another go on while a hook's instructions do: as much
 * again as samples show may be hidden, and so long for each side, at the most. */
#define OVERLAPPED 5e-9

/* Data that was driven out of the caches takes a part of a function's time, and so long for each side, at the most. */
#define DRIVEN_OUT_PART 0.5
#define DRIVEN_OUT      40e-9

/* And so much of that time is there on average. Fitted to sums of own times: docs/times.md. */
#define SLOWED_PART 0.1

int out_hidden_sides(const struct out_beside_times *times, double *sides)
{
  const struct out_profile *profile = times->profile;
  double *calls = calloc(profile->edges.count + 1u, sizeof *calls);
  if (!calls)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_beside_has(times, out_profile_edge(profile, i)))
      calls[i] = (double)out_edge_calls(profile, out_profile_edge(profile, i));
  int result = out_beside_outward(times, calls, sides);
  for (uint32_t i = 0; i < profile->edges.count; i++)
    sides[i] += calls[i];
  free(calls);
  return result;
}

double out_hidden_time(double sides, double tick)
{
  return sides * HIDDEN / tick;
}

double out_hidden_slowed(double own, double sides, double tick)
{
  return SLOWED_PART * fmin(own, sides * DRIVEN_OUT / tick);
}

double out_hidden_misread(double calls, double tick)
{
  return calls * 2 * OVERLAPPED / tick;
}

/* How fast a bound grows with the time and with the sides, and how large it is. */
struct bound {
  double by_time, by_side, size;
};

static struct bound bound_of(double by_time, double by_side, double own, double sides)
{
  return (struct bound){by_time, by_side, by_time * own + by_side * sides};
}

static struct bound least_of(struct bound a, struct bound b)
{
  return a.size < b.size ? a : b;
}

static struct bound doubt_of(double own, double sides, double tick)
{
  const struct bound overlapped = least_of(bound_of(1, 0, own, sides), bound_of(0, OVERLAPPED / tick, own, sides));
  const struct bound driven_out =
      least_of(bound_of(DRIVEN_OUT_PART, 0, own, sides), bound_of(0, DRIVEN_OUT / tick, own, sides));
  const struct bound waits = overlapped.size > driven_out.size ? overlapped : driven_out,
                     hides = bound_of(0, HIDDEN_ERROR / tick, own, sides);
  const double size = hypot(waits.size, hides.size), part = size > 0 ? waits.size / size : 0,
               rest = size > 0 ? hides.size / size : 0;
  return (struct bound){part * waits.by_time, part * waits.by_side + rest * hides.by_side, size};
}

double out_hidden_doubt(double own, double sides, double tick)
{
  return doubt_of(own, sides, tick).size;
}

/* What the edges of a function with one signature have in all. */
struct part {
  double own, sides;
};

static struct part *part_of(const struct out_profile *profile, const struct out_edge *edge, struct part *parts)
{
  return &parts[out_profile_variant(profile, edge->to)->signature];
}

int out_hidden_doubts(const struct out_beside_times *times, const double *sides, double *doubts)
{
  const struct out_profile *profile = times->profile;
  const double tick = out_profile_recording(profile, times->recording)->tick;
  struct part *parts = calloc(profile->signatures.count + 1u, sizeof *parts);
  if (!parts)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!out_beside_has(times, edge))
      continue;
    struct part *part = part_of(profile, edge, parts);
    part->own += times->own[i];
    part->sides += sides[i];
  }
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!out_beside_has(times, edge))
      continue;
    const struct part *part = part_of(profile, edge, parts);
    const struct bound doubt = doubt_of(part->own, part->sides, tick);
    doubts[i] = doubt.by_time * times->own[i] + doubt.by_side * sides[i];
  }
  free(parts);
  return 0;
}
