/*
 * Samples of processes that become one.
 */
#ifndef CALLSIG_OUTPUT_MERGE_FOLD_SAMPLES_H
#define CALLSIG_OUTPUT_MERGE_FOLD_SAMPLES_H

#include "output/profile/profile.h"

/* Can the samples of both stand for one run? They are of the recorded runs themselves, and taken alike; or neither
 * process has any. */
bool out_fold_same_samples(const struct out_profile *profile, const struct out_recording_info *left,
                           const struct out_recording_info *right);

/* Adds up the samples of processes that become one: by process before what it becomes, as a number below `count`. The
 * first of those that become one has all of them. 0 or -ENOMEM. */
int out_fold_samples(struct out_profile *profile, const uint32_t *process_of, uint32_t count);

#endif
