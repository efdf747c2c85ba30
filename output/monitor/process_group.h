/*
 * A process and all that it started, as /proc has them: memory, threads, and what they read and wrote.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_PROCESS_GROUP_H
#define CALLSIG_OUTPUT_MONITOR_PROCESS_GROUP_H

#include "output/pipeline/pipeline.h"

struct out_process_group {
  struct base_vector members;      /* struct out_group_member, by pid */
  struct callsig_group_stats gone; /* what those used that have ended */
  uint64_t received_bytes, sent_bytes;
  double memory_spent, begin; /* seconds: of a processor, for memory; CLOCK_MONOTONIC of the first reading */
};

void out_process_group_init(struct out_process_group *group);
void out_process_group_free(struct out_process_group *group);

/* Looks at the group of process `root` as it is now, with what it used so far; when `root` is gone, nothing changes.
 * How memory is shared is read while that takes less than 0.5 % of a processor: UINT64_MAX otherwise. 0 or -ENOMEM. */
int out_process_group_look(struct out_process_group *group, unsigned root);

/* Fills pipeline->group with what was seen last. 0 or -ENOMEM. */
int out_process_group_hand_out(const struct out_process_group *group, struct callsig_pipeline *pipeline);

#endif
