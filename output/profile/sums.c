/* Adds up the calls and times of all edges once, to see that no sum of some of them wraps. */
#include "output/profile/sums.h"

#include <errno.h>
#include <stdbool.h>

#include "output/text/message.h"

int out_sums_fit(const struct out_profile *profile, double tick)
{
  const long double most = 18446744073709551615.0L;
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
    ticks += (long double)recursion->total * (long double)scale;
  }
  if (wrapped)
    return out_stats_fail(-EOVERFLOW,
                          "there are 2^64 calls or more, which cannot be added up: no program made them, so "
                          "that a recording must be damaged");
  if (ticks >= most)
    return out_stats_fail(-EOVERFLOW, "the calls took 2^64 ticks or more, which cannot be added up: a recording is "
                                      "damaged, or was made with a clock that ran backwards");
  return 0;
}
