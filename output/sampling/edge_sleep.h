/*
 * What the calls of an edge slept: their thread waited of itself, for input, a lock, another thread or for time to
 * pass.
 */
#ifndef CALLSIG_OUTPUT_SAMPLING_EDGE_SLEEP_H
#define CALLSIG_OUTPUT_SAMPLING_EDGE_SLEEP_H

#include "output/profile/profile.h"

/* Ticks of the recording, of the calls' own time. */
struct out_edge_sleep {
  double ticks; /* no more than that time is */
  double error; /* a bound */
};

/* Does the recording tell? */
bool out_sleep_is_told(const struct out_recording_info *info);

/* `most`: the own time, as it is to be shown. Of an edge that nobody noted it of, a task or an action for example, the
 * error is all of its time. */
struct out_edge_sleep out_edge_sleep(const struct out_profile *profile, const struct out_edge *edge, double most);

#endif
