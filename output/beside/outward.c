/* Hands what callers have of their calls to the edges that lead to them. */
#include <errno.h>
#include <stdlib.h>

#include "output/beside/beside.h"

static uint32_t context_of(const struct out_profile *profile, uint32_t variant)
{
  return out_profile_variant(profile, variant)->context;
}

int out_beside_entered(const struct out_beside_times *times, bool *is_entered)
{
  const struct out_profile *profile = times->profile;
  bool *is_returned = calloc(profile->contexts.count + 1u, sizeof *is_returned);
  if (!is_returned)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (out_beside_has(times, edge))
      is_returned[context_of(profile, edge->to)] |= edge->is_returned;
  }
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (out_beside_has(times, edge) && !is_returned[context_of(profile, edge->to)])
      is_entered[edge->to] = true;
  }
  free(is_returned);
  return 0;
}

/* Arrays by variant, and behind them by context. */
struct spread {
  const struct out_beside_times *times;
  bool *is_entered;
  double *sum;    /* of what calls from there have */
  double *frames; /* calls into it */
};

static void add_up(const struct spread *spread, const double *outward)
{
  const struct out_profile *profile = spread->times->profile;
  const uint32_t variants = profile->variants.count;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!out_beside_has(spread->times, edge))
      continue;
    const double frames = out_edge_frames(profile, edge);
    spread->frames[edge->to] += frames;
    spread->frames[variants + context_of(profile, edge->to)] += frames;
    if (edge->from != FMT_NONE)
      spread->sum[spread->is_entered[edge->from] ? edge->from : variants + context_of(profile, edge->from)] +=
          outward[i];
  }
}

static double part_of(const struct spread *spread, uint32_t place, double frames)
{
  return spread->frames[place] > 0 ? spread->sum[place] * (frames / spread->frames[place]) : 0;
}

int out_beside_outward(const struct out_beside_times *times, const double *outward, double *inward)
{
  const struct out_profile *profile = times->profile;
  const size_t places = (size_t)profile->variants.count + profile->contexts.count + 1;
  const struct spread spread = {.times = times,
                                .is_entered = calloc(profile->variants.count + 1u, sizeof(bool)),
                                .sum = calloc(places, sizeof(double)),
                                .frames = calloc(places, sizeof(double))};
  int result =
      spread.is_entered && spread.sum && spread.frames ? out_beside_entered(times, spread.is_entered) : -ENOMEM;
  if (result == 0)
    add_up(&spread, outward);
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!out_beside_has(times, edge))
      continue;
    const double frames = out_edge_frames(profile, edge);
    inward[i] = part_of(&spread, edge->to, frames) +
                part_of(&spread, profile->variants.count + context_of(profile, edge->to), frames);
  }
  free(spread.is_entered);
  free(spread.sum);
  free(spread.frames);
  return result;
}
