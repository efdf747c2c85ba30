/*
 * Processes of a job become one.
 */
#ifndef CALLSIG_OUTPUT_MERGE_FOLD_PROCESSES_H
#define CALLSIG_OUTPUT_MERGE_FOLD_PROCESSES_H

#include "output/stats/stats_object.h"

/* Makes one of the processes of one command line (of one rank, where they have ranks), and with `over_ranks` one of
 * those of a program's ranks. 0 or -ENOMEM after a message. */
int out_fold_processes(struct callsig_stats *stats, bool over_ranks);

/* By process: is it left alone? What has stages, queues, events or a timeline of its own is, and but of ranks what has
 * counters or samples. */
void out_fold_find_staying(const struct out_profile *profile, bool *stays);

#endif
