/*
 * Whether the points of a function bear the law that fits them best.
 */
#ifndef CALLSIG_OUTPUT_SCALING_DOUBT_H
#define CALLSIG_OUTPUT_SCALING_DOUBT_H

#include "output/scaling/analysis.h"

/* Makes a finding with a law one without, for this reason. Its verdict keeps the law, and the rivals. */
void out_scaling_give_up(struct out_scaling_finding *finding, enum out_scaling_doubt why);

/* A leading term that makes up so many times the error of the time, or less, may be what caches make of slower ones:
 * what a step costs there rises with the size, in steps that no term follows closely. */
#define OUT_SCALING_CLEAR 6.0

/* The error up to which a law is borne: where values are known in ranges, what that alone makes of it is none of the
 * law's. -1: memory is short. */
double out_scaling_allowed_error(const struct out_scaling_samples *samples, const struct out_scaling_finding *finding,
                                 const struct out_law *law);

/* How many points have a time that is not near the clock's least. */
uint32_t out_scaling_count_clear(const struct out_points *points, double near);

/* Gives up a law that is too far off, or hangs on a few calls of the largest size, or on times near the clock's least:
 * where the others follow another law, that is taken. 0 or -ENOMEM. */
int out_scaling_doubt(const struct out_scaling_samples *samples, struct out_scaling_finding *finding);

#endif
