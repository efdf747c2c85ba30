/*
 * Counters of processes that become one.
 */
#ifndef CALLSIG_OUTPUT_MERGE_FOLD_COUNTERS_H
#define CALLSIG_OUTPUT_MERGE_FOLD_COUNTERS_H

#include "output/profile/profile.h"

/* Makes one of the counters of one key and kind that are of one process, and of what one thread counted with one of
 * them in one stage: processes and threads are the new ones already. When it was counted stays where it was of one
 * alone; of several it is not told. 0 or -ENOMEM. */
int out_fold_counters(struct out_profile *profile);

#endif
