/*
 * What the shortest calls of each signature say of a law. What else runs on a machine makes calls longer, never
 * shorter: so they are what it disturbed least.
 */
#ifndef CALLSIG_OUTPUT_SCALING_SHORTEST_H
#define CALLSIG_OUTPUT_SCALING_SHORTEST_H

#include "output/scaling/analysis.h"

/* The most that caches make of a call whose steps do not become more, in seconds: some thirty lines that are fetched
 * from memory. */
#define OUT_SCALING_CACHES 3e-6

/* How much the law's times grow by over these points, seconds. */
double out_scaling_rise(const struct out_points *points, const struct out_fit *fit);

/* Asks the shortest calls of a finding that has a law, or none as its times are too far off each. A law that they
 * contradict is given up. Where there is none, theirs is taken, with their times, if they bear it and the means name it
 * as well; or, where the clock went on while threads waited, if the means grow at least as much. 0 or -ENOMEM. */
int out_scaling_ask_shortest(const struct out_scaling_samples *samples, enum out_scaling_waits waits,
                             struct out_scaling_finding *finding);

/* Sets *grow when the means grow apart from the shortest calls. What makes calls longer the more, the longer they take,
 * is what else runs on the machine. Shortest calls that hardly grow say nothing, as a search may end at once; nor does
 * anything where they are not known. 0 or -ENOMEM. */
int out_scaling_grow_apart(const struct out_scaling_finding *finding, bool *grow);

#endif
