/*
 * Processes of a job become one.
 */
#ifndef CALLSIG_OUTPUT_MERGE_FOLD_PROCESSES_H
#define CALLSIG_OUTPUT_MERGE_FOLD_PROCESSES_H

#include "output/stats/stats_object.h"

/* Which processes become one. None of which it is told already what its ranks spent becomes one with another of the
 * same rank: what that rank spent would be told twice. */
enum out_fold {
  OUT_FOLD_COMMANDS,  /* those of one command line (of one rank, where they have ranks) */
  OUT_FOLD_EACH_RANK, /* those of one rank that ran the same program; without ranks, of one command line */
  OUT_FOLD_RANKS,     /* and those of a program's ranks */
};

/* Makes processes one. 0 or -ENOMEM after a message. */
int out_fold_processes(struct callsig_stats *stats, enum out_fold which);

/* By process: is it left alone? What has stages, queues, events or a timeline of its own is, and but of ranks what has
 * counters or samples. */
void out_fold_find_staying(const struct out_profile *profile, bool *stays);

#endif
