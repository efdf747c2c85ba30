/*
 * What timing calls was chosen to cost a run: how many of them, and how many times as long the run took as the program
 * alone: by samples of the run, and without them by what its hooks were calibrated to cost.
 */
#ifndef CALLSIG_OUTPUT_STATS_SLOWDOWN_H
#define CALLSIG_OUTPUT_STATS_SLOWDOWN_H

#include "output/profile/profile.h"

struct out_slowdown {
  double all;      /* as it ran; NAN: not known, or the hooks would have taken all of the time */
  double counting; /* if no call had been timed: of what hooks took the part that the calibration gives to counting */
  bool by_samples;
};

/* Of the short calls of a recording, one in so many was timed at the fewest; 0: not known, or all were. */
static inline uint32_t out_timed_one_in(const struct out_recording_info *info)
{
  return info->flags & FMT_REC_SAMPLED ? info->process.drawn_from / 2 : 0;
}

/* Of the recording with this number, where it has samples or not every call was timed. */
struct out_slowdown out_slowdown(const struct out_profile *profile, uint32_t recording);

#endif
