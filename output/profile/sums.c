/* Adds up the calls and times of all edges once, to see that no sum of some of them wraps. */
#include "output/profile/sums.h"

#include <errno.h>
#include <stdbool.h>

#include "output/text/message.h"

/* The most that a call's recursion adds to a row: what it took, by any group. An intact recording has no more in a
 * group than the calls took. */
static uint64_t most_ticks(const struct out_recursion *recursion)
{
  uint64_t most = recursion->total;
  for (size_t group = 0; group < sizeof recursion->cumulative / sizeof recursion->cumulative[0]; group++)
    if (recursion->cumulative[group] > most)
      most = recursion->cumulative[group];
  return most;
}

int out_sums_fit(const struct out_profile *profile, double tick)
{
  const long double most = 9223372036854775807.0L; /* what is taken off times has a sign */
  long double ticks = 0;
  uint64_t calls = 0;
  bool wrapped = false;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    double scale = out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording)->tick / tick;
    wrapped |= __builtin_add_overflow(calls, edge->calls, &calls);
    ticks += (long double)edge->total * (long double)scale;
    if (edge->recursion == FMT_NONE)
      continue;
    const struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
    wrapped |= __builtin_add_overflow(calls, recursion->calls, &calls);
    ticks += (long double)most_ticks(recursion) * (long double)scale;
  }
  if (wrapped)
    return out_stats_fail(-EOVERFLOW,
                          "there are 2^64 calls or more, which cannot be added up: no program made them, so "
                          "that a recording must be damaged");
  if (ticks >= most)
    return out_stats_fail(-EOVERFLOW, "the calls took 2^63 ticks or more, which cannot be added up: a recording is "
                                      "damaged, or was made with a clock that ran backwards");
  return 0;
}
