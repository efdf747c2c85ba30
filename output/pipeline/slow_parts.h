/*
 * Who of several that do the same (threads, processes, ranks) is slowest, part by part of the time.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_SLOW_PARTS_H
#define CALLSIG_OUTPUT_PIPELINE_SLOW_PARTS_H

#include <stdbool.h>

#include "output/pipeline/pipeline.h"
#include "output/recording/chance.h"

/* One of them: its tasks by slots of the time. */
struct out_slow_entry {
  const struct fmt_rec_task_slot *slots;
  uint32_t shift;
  double start, tick; /* seconds since 1970 at which slots begin; seconds */
  /* Filled: the parts in which it takes twice as long for a task as the others, or more, and longest; and those of them
   * where that is no chance by itself, which two or three tasks never are. */
  unsigned slower, slowest;
};

/* Divides the time in which there are tasks into eight parts, and counts in whose of them each entry was slowest; by
 * chance, if tasks took times drawn from `values` (NULL: nothing is by chance). Gives how many parts could be judged:
 * several entries have tasks in them. */
unsigned out_slow_parts(struct out_slow_entry *entries, uint32_t count, const struct out_values *values);

#endif
