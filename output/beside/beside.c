/* Replaces the times of recordings by those of runs that were sampled beside them. */
#include "output/beside/beside.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t scale(uint64_t ticks, double factor)
{
  return out_ticks((double)ticks * factor);
}

/* Gives the edge `time` ticks with callees, of which `own` are its own. The shortest and the longest call are scaled
 * with the whole, since no sample tells calls apart. */
static void replace_times(struct out_profile *profile, struct out_edge *edge, double time, uint64_t own)
{
  uint64_t recorded = out_edge_total(profile, edge);
  double factor = recorded > 0 ? time / (double)recorded : 0;
  out_edge_set_total(profile, edge, time);
  uint64_t total = out_edge_total(profile, edge);
  edge->children = total > own ? total - own : 0;
  if (total < own)
    edge->total += own - total;
  edge->min = edge->min == UINT64_MAX ? edge->min : scale(edge->min, factor);
  edge->max = scale(edge->max, factor);
  edge->overhead = 0;
  edge->sampling = FMT_NONE;
}

/* Own times are rounded so that their sum is right: what was rounded off is carried on. */
static void replace_all(const struct out_beside_times *times)
{
  double sum = 0;
  uint64_t given = 0;
  for (uint32_t i = 0; i < times->profile->edges.count; i++) {
    struct out_edge *edge = out_profile_edge(times->profile, i);
    if (!out_beside_has(times, edge))
      continue;
    sum += times->own[i];
    uint64_t own = out_ticks(sum) - given;
    given += own;
    replace_times(times->profile, edge, times->inclusive[i], own);
  }
}

/* Nothing of the hooks is in the times any more, and the times of single calls are known no more. */
static void forget_hooks(struct out_profile *profile, const struct out_beside_times *times)
{
  struct out_recording_info *info = out_profile_recording(profile, times->recording);
  info->hook_inner = info->hook_outer = info->process.hook_inner = info->process.hook_outer = 0;
  info->flags &= ~(uint32_t)(FMT_REC_SAMPLED | FMT_REC_WAITS_TAKEN | FMT_REC_WAITS_UNKNOWN);
  info->process.flags = info->flags;
  info->process.sample_price = 0;
  for (uint32_t i = 0; i < profile->times_of.count; i++)
    if (out_beside_has(times, out_profile_edge(profile, i)))
      *(uint32_t *)base_vector_at(&profile->times_of, i) = FMT_NONE;
}

static int replace_recording(struct out_profile *profile, uint32_t recording, const struct out_sampled_run *run)
{
  struct out_beside_times times = {.profile = profile,
                                   .recording = recording,
                                   .own = calloc(profile->edges.count + 1u, sizeof *times.own),
                                   .inclusive = calloc(profile->edges.count + 1u, sizeof *times.inclusive)};
  double *ticks = calloc(profile->functions.count + 1u, sizeof *ticks);
  int result = times.own && times.inclusive && ticks ? 0 : -ENOMEM;
  if (result == 0) {
    out_beside_ticks(&times, run, ticks);
    result = out_beside_own(&times, ticks);
  }
  if (result == 0)
    result = out_beside_inclusive(&times);
  if (result == 0) {
    replace_all(&times);
    forget_hooks(profile, &times);
  }
  free(ticks);
  free(times.own);
  free(times.inclusive);
  return result;
}

int out_beside_apply(struct out_profile *profile, uint32_t first)
{
  int result = 0;
  for (uint32_t i = first; i < profile->recordings.count && result == 0; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    if (info->sampled == FMT_NONE)
      continue;
    const struct out_sampled_run *run = out_profile_sampled_run(profile, info->sampled);
    result = out_beside_match(profile, i);
    if (result == 0 && !run->is_applied && run->head.samples > 0 && !(run->head.flags & FMT_SAMPLES_OWN_RUN))
      result = replace_recording(profile, i, run);
  }
  return result;
}
