/*
 * How short a time the clock of recordings hardly tells.
 *
 * A time stamp counter may count on by 26 ticks at once, ten nanoseconds: a processor's counter that runs with another
 * one's frequency does. And hooks read nothing below the least that two readings are apart, in which the start of a
 * call and its end overlap: work that fits in there costs nothing. Both make a time that grows look flat where it is
 * short, so that a line looks bent.
 */
#ifndef CALLSIG_OUTPUT_SCALING_CLOCK_NEAR_H
#define CALLSIG_OUTPUT_SCALING_CLOCK_NEAR_H

#include "output/profile/profile.h"

struct out_scaling_clock {
  double step; /* seconds that the slowest clock counts on by: a tick, or what its readings are multiples of */
  double near; /* shorter times, in seconds, are near the clock's least, and decide no law */
};

/* A time of fewer steps may be off by more than a sixteenth of itself. */
#define OUT_SCALING_STEPS 8.0
/* A time of less than so many times the least that was read overlaps with the readings themselves. */
#define OUT_SCALING_LEAST 2.0

/* Reads it off the shortest calls of all edges: a recording does not tell. 0 or -ENOMEM. */
int out_scaling_clock_read(const struct out_profile *profile, struct out_scaling_clock *clock);

/* The step that sorted readings are multiples of, in ticks: 1 when there are too few of them, or they are of none. Some
 * may be other ones: waits were taken out of them. */
double out_scaling_step_of(const uint64_t *readings, uint32_t count);

#endif
