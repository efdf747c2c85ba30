/*
 * Makes one thread of those that have one name, and one tree of their trees.
 */
#ifndef CALLSIG_OUTPUT_MERGE_MERGE_THREADS_H
#define CALLSIG_OUTPUT_MERGE_MERGE_THREADS_H

#include "output/stats/stats_object.h"

/* Which processes become one. By number of a process before: what it will be, and whether its threads of one name
 * become one; by number after: the first that it is made of. */
struct out_merge_processes {
  uint32_t *process_of;
  bool *joins;
  uint32_t *first_of;
};

/* Merges threads within what processes become. Threads have the numbers of processes after that; what else has them,
 * and the list of processes, is as before. 0 or -ENOMEM, without a message. */
int out_merge_threads(struct callsig_stats *stats, const struct out_merge_processes *processes);

#endif
