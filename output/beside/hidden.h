/*
 * What samples of a profiled run cannot tell of the program itself, and how far times by them may be off for that:
 * docs/times.md, "What hooks hide".
 *
 * A processor works on hundreds of instructions at once. Beside a hook, the program's own are done while it waits for
 * the hook's, and no sample is met in them; and they wait for data that hooks drove out of the caches, where they would
 * not. Both are bounded by how often the code meets a hook: each call has two sides, the callee's and the caller's.
 */
#ifndef CALLSIG_OUTPUT_BESIDE_HIDDEN_H
#define CALLSIG_OUTPUT_BESIDE_HIDDEN_H

#include "output/beside/beside.h"

/* By edge of times->recording, into `sides`: its calls' own sides, and its part of the callers' sides of what its
 * callee calls. -ENOMEM. */
int out_hidden_sides(const struct out_beside_times *times, double *sides);

/* The time, in ticks of `tick` seconds, that so many sides hide on average. */
double out_hidden_time(double sides, double tick);

/* Of an own time that has so many sides, by how much hooks make it longer on average where they hide enough of others:
 * no more than what is hidden of all. */
double out_hidden_slowed(double own, double sides, double tick);

/* By how much an own time that has so many sides may be off: the half width of an interval of 95 %. Those of one
 * function add up, as what hides one call hides the next. */
double out_hidden_doubt(double own, double sides, double tick);

/* By edge of times->recording, into `doubts`: the edges' parts, by time and by sides, of what the own time of a
 * function with its signature may be off by, so that it is the same whatever edges its calls are on. -ENOMEM. */
int out_hidden_doubts(const struct out_beside_times *times, const double *sides, double *doubts);

/* By how much what the clock read of so many calls may be off, as a processor reads it before the end of what it is to
 * time: at each of a call's two readings by what a hook hides of a side at the most. */
double out_hidden_misread(double calls, double tick);

/* The part of a doubt by which a sum over callers and callees may be off, as what is one's is not the other's. */
#define OUT_HIDDEN_IN_SUMS 0.4

#endif
