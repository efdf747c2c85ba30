/*
 * Merges the histograms of edges that become one.
 */
#ifndef CALLSIG_OUTPUT_MERGE_MERGE_TIMES_H
#define CALLSIG_OUTPUT_MERGE_MERGE_TIMES_H

#include "output/profile/profile.h"

/* Adds up the times of the profile's edges for what they become: `edge_of[i]` below `count`, or FMT_NONE. An edge of
 * whose calls some have no times has none: what is known of a part would pass for the whole. 0 or -ENOMEM. */
int out_merge_times(struct out_profile *profile, const uint32_t *edge_of, uint32_t count);

#endif
