/*
 * The one reader of what a recording says of stages, queues and events, and of what threads did with them.
 *
 * It follows the lists and gives every record to a taker, once each, in the order of the lists. What refers to a stage
 * or a queue is given with the number of that one: the how-manieth it was given, from 0. What cannot be read, or refers
 * to a stage or queue that is not there, is counted as damage and left out. Works on a recording that is attached only,
 * and on one that is being written. Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_STAGE_READER_H
#define CALLSIG_OUTPUT_RECORDING_STAGE_READER_H

#include "output/recording/recording.h"

/* Gets the records; each returns 0, or an error that ends the reading. The record is valid during the call. A function
 * may be NULL when what it would get is not asked for. */
struct out_stage_taker {
  int (*stage)(void *data, const struct fmt_rec_stage *record);
  int (*queue)(void *data, const struct fmt_rec_queue *record, uint64_t address);
  int (*event)(void *data, const struct fmt_rec_event *record);
  int (*tasks)(void *data, const struct fmt_rec_tasks *record, uint32_t stage);
  int (*queue_use)(void *data, const struct fmt_rec_queue_use *record, uint32_t queue);
  int (*counter)(void *data, const struct fmt_rec_counter *record);
  /* `stage` is FMT_NONE outside of tasks. */
  int (*counter_use)(void *data, const struct fmt_rec_counter_use *record, uint32_t counter, uint32_t stage);
};

struct out_stage_reader {
  struct out_recording *recording;
  const struct out_stage_taker *taker;
  void *data; /* handed to the taker */
  /* uint64_t: lists of out_recording_number() */
  struct base_vector stages, queues, events, counters, tasks, uses, counter_uses;
};

/* `taker` and `recording` must outlive the reader. Free with out_stage_reader_free(). */
void out_stage_reader_init(struct out_stage_reader *reader, struct out_recording *recording,
                           const struct out_stage_taker *taker, void *data);
void out_stage_reader_free(struct out_stage_reader *reader);

/* Read the lists that begin in the header. 0, -ENOMEM or what the taker returned. */
int out_stage_reader_stages(struct out_stage_reader *reader);
int out_stage_reader_queues(struct out_stage_reader *reader);
int out_stage_reader_events(struct out_stage_reader *reader);
int out_stage_reader_counters(struct out_stage_reader *reader);

/* Where a thread's lists begin, as its record says. */
struct out_thread_lists {
  uint64_t first_tasks, first_queue_use, first_counter_use;
};

static inline struct out_thread_lists out_thread_lists_of(const struct fmt_rec_thread *record)
{
  return (struct out_thread_lists){record->first_tasks, record->first_queue_use, record->first_counter_use};
}

/* Reads one thread's tasks, then its uses of queues, then those of counters. Stages, queues and counters come before.
 * 0, -ENOMEM or what the taker returned. */
int out_stage_reader_thread(struct out_stage_reader *reader, const struct out_thread_lists *lists);

/* Reads what the tasks of a record did with their time. False: that is not there, or damaged, which is counted. */
bool out_stage_reader_work(struct out_recording *recording, const struct fmt_rec_tasks *tasks,
                           struct fmt_rec_task_work *work);
/* The same of its record of what threads were found waiting for. */
bool out_stage_reader_waits(struct out_recording *recording, const struct fmt_rec_tasks *tasks,
                            struct fmt_rec_task_waits *waits);

/* Reads when an event happened the last times. False: that is not there, or damaged, which is counted. */
bool out_stage_reader_times(struct out_recording *recording, const struct fmt_rec_event *event,
                            struct fmt_rec_event_times *times);

/* Forgets the records of threads, so that one may be read again, or another whose records are where those of one were
 * that has ended. */
void out_stage_reader_forget_threads(struct out_stage_reader *reader);

/* The number of the stage at `address`, which is given to the taker when it was not in the list; FMT_NONE when there is
 * none. 0, -ENOMEM or what the taker returned. */
int out_stage_reader_find(struct out_stage_reader *reader, uint64_t address, uint32_t *number);

#endif
