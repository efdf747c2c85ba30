/*
 * Makes the ticks of processes nanoseconds, so that those of several machines add up.
 */
#ifndef CALLSIG_OUTPUT_MERGE_RESCALE_H
#define CALLSIG_OUTPUT_MERGE_RESCALE_H

#include "output/profile/profile.h"

/* Rescales all that is counted in the processes whose clock is the processor's counter and for which `chosen` is set.
 * Each number is rounded to the next nanosecond, so that what is added up afterwards does not depend on an order. Not
 * for processes with stages, queues, events or a timeline; when counters were counted is forgotten. 0 or -ENOMEM. */
int out_rescale(struct out_profile *profile, const bool *chosen);

#endif
