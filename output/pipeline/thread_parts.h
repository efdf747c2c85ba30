/*
 * What each thread of a recording did with stages and queues: a consistent cut, while threads begin, end and are
 * folded.
 *
 * Each thread is read by itself, and what was read of it counts if its record is still in the list, and the same one,
 * at a moment at which the folded threads are read and none is being folded. So everything is in it once.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_THREAD_PARTS_H
#define CALLSIG_OUTPUT_PIPELINE_THREAD_PARTS_H

#include "output/recording/histogram.h"
#include "output/recording/recording.h"
#include "output/recording/stage_reader.h"

/* The tasks of a stage in one thread. */
struct out_tasks_part {
  uint32_t stage; /* the number of its record */
  struct fmt_rec_tasks record;
  struct out_histogram times, gaps;
  bool has_work, has_waits;
  struct fmt_rec_task_work work;
  struct fmt_rec_task_waits waits;
};

/* A queue as one thread used it. */
struct out_use_part {
  uint32_t queue; /* the number of its record */
  struct fmt_rec_queue_use record;
  struct out_histogram put, get;
};

/* A counter as one thread counted it in one stage. */
struct out_counter_part {
  uint32_t counter, stage; /* the numbers of their records; stage FMT_NONE: none */
  struct fmt_rec_counter_use record;
};

struct out_thread_part {
  uint64_t address;
  struct fmt_rec_thread record;
  bool counts;                 /* it is still there, and what it has counted is of this period */
  struct base_vector tasks;    /* struct out_tasks_part */
  struct base_vector uses;     /* struct out_use_part */
  struct base_vector counters; /* struct out_counter_part */
};

struct out_thread_parts {
  struct out_recording *recording;
  struct out_stage_reader *lists;
  struct base_vector threads;      /* struct out_thread_part */
  struct out_thread_part *current; /* the one that is being read */
  uint64_t folds, folds_known;     /* header.folds when the list was read, last and first */
  uint64_t period;                 /* header.period when it was read last */
};

/* `lists` has read the stages and queues; its taker hands tasks, uses and what was counted on to the functions below.
 * Free with out_thread_parts_free(). */
void out_thread_parts_init(struct out_thread_parts *parts, struct out_recording *recording,
                           struct out_stage_reader *lists);
void out_thread_parts_free(struct out_thread_parts *parts);

/* Reads all threads. 0, or -ENOMEM. */
int out_thread_parts_read(struct out_thread_parts *parts);

int out_thread_parts_take_tasks(struct out_thread_parts *parts, const struct fmt_rec_tasks *record, uint32_t stage);
int out_thread_parts_take_use(struct out_thread_parts *parts, const struct fmt_rec_queue_use *record, uint32_t queue);
int out_thread_parts_take_counter(struct out_thread_parts *parts, const struct fmt_rec_counter_use *record,
                                  uint32_t counter, uint32_t stage);

/* header.folds as the open recording has it now; odd while a thread is being folded. 0 when it cannot be read. */
uint64_t out_thread_folds(int file);

#endif
