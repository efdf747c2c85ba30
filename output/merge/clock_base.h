/*
 * Whether processes read one clock, so that ticks of one are ticks of the other.
 */
#ifndef CALLSIG_OUTPUT_MERGE_CLOCK_BASE_H
#define CALLSIG_OUTPUT_MERGE_CLOCK_BASE_H

#include "output/profile/profile.h"

/* Clears in `chosen`, by process, those that need no rescaling before they are made one with others of their program:
 * whose clock is not the processor's counter, and those of a program whose counters all run as one. Those of several
 * machines, or of before and after one was started again, do not; nor do those of a program of which another process,
 * chosen too, has nanoseconds, as what was made one before may have. 0 or -ENOMEM. */
int out_clock_bases_differ(const struct out_profile *profile, bool *chosen);

#endif
