/*
 * Laws with a step: what one step of the work takes becomes more where data leave a cache, and is even before and
 * behind that. Without these a time per step that doubles between two sizes looks like a law that grows faster.
 */
#ifndef CALLSIG_OUTPUT_SCALING_STEPS_H
#define CALLSIG_OUTPUT_SCALING_STEPS_H

#include "output/scaling/analysis.h"

/* A step is looked for in so many sizes at least: three before it and two behind. */
#define OUT_SCALING_STEP_SIZES 7u

/* Asks whether laws with a step explain the finding's times. They become rivals of a law that they are not told from,
 * take its place where they are clearly better, and stand in where there is none and the times, or else the shortest
 * calls, bear one. 0 or -ENOMEM. */
int out_scaling_ask_steps(enum out_scaling_waits waits, struct out_scaling_finding *finding);

/* By how much a step of a stepped law becomes longer. */
double out_scaling_step_factor(const struct out_fit *fit);

#endif
