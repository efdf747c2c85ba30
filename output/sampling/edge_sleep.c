/* Estimates what the calls of an edge slept. */
#include "output/sampling/edge_sleep.h"

#include <math.h>

#include "output/profile/edge_time.h"

/* What a look costs that finds how long a thread slept, and what going to sleep and waking up takes, which the clocks
 * count for the one or the other. */
#define LOOK_SECONDS 2e-6

bool out_sleep_is_told(const struct out_recording_info *info)
{
  return info->flags & FMT_REC_SLEEP && !(info->flags & FMT_REC_WAITS_UNKNOWN);
}

/* Calls that were drawn stand for those that were not timed: of few sleeps among them as many more or none may be among
 * the others (Poisson). What is beyond the time is not known to be less by as much. */
struct out_edge_sleep out_edge_sleep(const struct out_profile *profile, const struct out_edge *edge, double most)
{
  if (edge->to == FMT_NONE)
    return (struct out_edge_sleep){0};
  if (edge->sampling == FMT_NONE)
    return (struct out_edge_sleep){.error = (double)out_edge_own(profile, edge)};
  const struct out_sampling *sampling = out_profile_sampling(profile, edge->sampling);
  if (sampling->sleep == FMT_NONE)
    return (struct out_edge_sleep){0};
  const struct out_sleep *sleep = out_profile_sleep(profile, sampling->sleep);
  const double tick = out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording)->tick;
  const double untimed = (double)out_edge_sampling(profile, edge).untimed;
  const double more = sampling->timed > 0 ? (double)sleep->drawn * (untimed / (double)sampling->timed) : 0;
  const double few = sleep->drawn_times > 0 ? 2 * more / sqrt((double)sleep->drawn_times) : 0;
  const double looks = tick > 0 ? (double)sleep->times * LOOK_SECONDS / tick : 0;
  const double found = (double)sleep->ticks + more, slept = fmin(found, fmax(most, 0));
  return (struct out_edge_sleep){slept, (double)sleep->unsure + few + looks + (found - slept)};
}
