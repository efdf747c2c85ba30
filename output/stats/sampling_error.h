/*
 * How far the times of an edge's calls may be off, where the clock was not read for all of them: docs/times.md.
 */
#ifndef CALLSIG_OUTPUT_STATS_SAMPLING_ERROR_H
#define CALLSIG_OUTPUT_STATS_SAMPLING_ERROR_H

#include "output/profile/profile.h"

/* Of the calls of one edge. */
struct out_edge_sampling {
  uint64_t untimed; /* calls that count with a time of others */
  uint64_t timed;   /* all others, those that are open among them */
};
struct out_edge_sampling out_edge_sampling(const struct out_profile *profile, const struct out_edge *edge);

/* The square of the half width, in ticks of the edge's recording, of the interval that holds the sum of the times of
 * `untimed` calls of the edge with 95 %; 0 for none, NAN when too few were timed to tell. */
double out_sampling_error(const struct out_profile *profile, const struct out_edge *edge, double untimed);

/* How many ticks of its recording a sample stands for that the edge's time is made of; 0 where its time is that of a
 * clock. */
double out_sample_period(const struct out_profile *profile, const struct out_edge *edge);

#endif
