/*
 * Whether what is to be added up can be counted.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_SUMS_H
#define CALLSIG_OUTPUT_PROFILE_SUMS_H

#include "output/profile/profile.h"

/* Do all calls together, and all their times in units of `tick` seconds, stay below 2^64? Then every sum of some of
 * them does. 0, or -EOVERFLOW after a message. */
int out_sums_fit(const struct out_profile *profile, double tick);

#endif
