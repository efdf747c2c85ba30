/*
 * The processes whose recordings a profile holds: their order, and the ranks that they have in a parallel job.
 */
#ifndef CALLSIG_OUTPUT_PROCESS_H
#define CALLSIG_OUTPUT_PROCESS_H

#include "profile.h"

/* Orders two processes, by their numbers in profile.recordings: as they began, then by pid and by what they were read
 * from; the same whatever order they were added in. Negative, 0 or positive. */
int cs_process_compare(const struct cs_profile *profile, uint32_t left, uint32_t right);

/* All processes in that order, allocated with malloc(); NULL when memory is short. */
uint32_t *cs_process_order(const struct cs_profile *profile);

/* By process: the first process (in the order of their numbers) with the same rank, or without any as this one.
 * Allocated with malloc(); NULL when memory is short. */
uint32_t *cs_process_ranks(const struct cs_profile *profile);

static inline bool cs_process_has_rank(const struct cs_profile *profile, uint32_t process)
{
  return cs_profile_recording(profile, process)->process.rank_source != 0;
}

/* Orders by rank; processes without one come first. */
int cs_process_compare_ranks(const struct cs_profile *profile, uint32_t left, uint32_t right);

#endif
