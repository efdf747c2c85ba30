/*
 * Whether the points of a function bear the law that fits them best.
 */
#ifndef CALLSIG_OUTPUT_SCALING_DOUBT_H
#define CALLSIG_OUTPUT_SCALING_DOUBT_H

#include "output/scaling/analysis.h"

/* Makes a finding with a law one without, for this reason. Its verdict keeps the law, and the rivals. */
void out_scaling_give_up(struct out_scaling_finding *finding, enum out_scaling_doubt why);

/* Gives up a law that is too far off, or hangs on a few calls of the largest size. 0 or -ENOMEM. */
int out_scaling_doubt(const struct out_scaling_samples *samples, struct out_scaling_finding *finding);

#endif
