/*
 * How many times as long a run took as the program alone, by what its hooks were calibrated to cost.
 */
#ifndef CALLSIG_OUTPUT_STATS_SLOWDOWN_H
#define CALLSIG_OUTPUT_STATS_SLOWDOWN_H

#include "output/profile/profile.h"

struct out_slowdown {
  double all;      /* as it ran; NAN: not known, or the hooks would have taken all of the time */
  double counting; /* if no call had been timed */
};

/* Of the recording with this number, where not every call was timed. */
struct out_slowdown out_slowdown(const struct out_profile *profile, uint32_t recording);

#endif
