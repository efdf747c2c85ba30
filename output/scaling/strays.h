/*
 * A law that all sizes but a few follow. The first call after other work finds cold caches, so where a program goes
 * through sizes in order, it is always the same size that is too slow.
 */
#ifndef CALLSIG_OUTPUT_SCALING_STRAYS_H
#define CALLSIG_OUTPUT_SCALING_STRAYS_H

#include "base/arena.h"
#include "output/scaling/analysis.h"

/* At most this part of the points is left out, and no more than this many of them; of fewer points than this, none is.
 */
#define OUT_SCALING_STRAY_PART   10u
#define OUT_SCALING_STRAYS       3u
#define OUT_SCALING_STRAY_POINTS 8u

/* Where a finding has no law, looks for one without the points that are the farthest off the best one: those that are
 * off by half and more, and that no argument is largest at. The finding has then the others. 0 or -ENOMEM. */
int out_scaling_leave_strays(const struct out_scaling_samples *samples, enum out_scaling_waits waits,
                             struct base_arena *arena, struct out_scaling_finding *finding);

#endif
