/*
 * What tasks did with their time: on a processor, ready for one, or waiting for something else; and when. Summed over
 * the threads of a stage.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_TASK_WORK_H
#define CALLSIG_OUTPUT_PIPELINE_TASK_WORK_H

#include <stdbool.h>

#include "format/recording.h"

struct out_task_work {
  bool known;
  double own;          /* seconds of tasks, without tasks and waits for queues inside */
  double looks;        /* tasks that were looked at */
  double sampled_time; /* of these; of it ... */
  double sampled_cpu;  /* ... on a processor, and ... */
  double sampled_left; /* ... ready and waiting for one, in those that never waited for anything else */
  double thread_cpu;   /* of its threads, whatever they did: on a processor, ... */
  double queued;       /* ... and ready, waiting for one, ... */
  double lifetime;     /* ... in all their time */
  uint32_t shift;      /* slots are 2^shift ticks, and begin with the recording */
  struct fmt_rec_task_slot slots[FMT_TASK_SLOTS];
};

/* Adds what a record says, whose ticks take `tick` seconds. */
void out_task_work_add(struct out_task_work *sum, const struct fmt_rec_task_work *record, double tick);

/* Makes the slots as long as 2^shift ticks, if they are shorter. */
void out_task_work_widen(struct out_task_work *work, uint32_t shift);

/* Shares of the time of tasks; they add to 1. Not known where few tasks were looked at, which are not most of the time
 * either. */
struct out_task_shares {
  bool known;
  double looks; /* tasks that were looked at */
  double cpu, ready, waiting;
};
struct out_task_shares out_task_shares(const struct out_task_work *work);

#endif
