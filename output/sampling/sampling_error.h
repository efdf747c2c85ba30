/*
 * How far the times of an edge's calls may be off, where the clock was not read for all of them: docs/times.md.
 */
#ifndef CALLSIG_OUTPUT_SAMPLING_SAMPLING_ERROR_H
#define CALLSIG_OUTPUT_SAMPLING_SAMPLING_ERROR_H

#include "output/profile/profile.h"

/* The square of the half width, in ticks of the edge's recording, of the interval that holds the sum of the times of
 * `untimed` calls of the edge with 95 %; 0 for none, NAN when too few were timed to tell. */
double out_sampling_error(const struct out_profile *profile, const struct out_edge *edge, double untimed);

/* The same of times in which an untimed call lasts `spared` ticks less than a timed one; 0 before they are reconciled.
 */
double out_recorded_error(const struct out_profile *profile, const struct out_edge *edge, double untimed,
                          double spared);

/* How many ticks of its recording a sample stands for that the edge's time is made of; 0 where its time is that of a
 * clock. */
double out_sample_period(const struct out_profile *profile, const struct out_edge *edge);

#endif
