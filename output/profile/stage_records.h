/*
 * What a recording says of stages, queues, events and counters, kept as it is: rows have no use for it, but what is
 * written again (dump.h) has it. Addresses in the records mean nothing any more; what they referred to stands beside
 * them.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_STAGE_RECORDS_H
#define CALLSIG_OUTPUT_PROFILE_STAGE_RECORDS_H

#include "base/vector.h"
#include "format/recording.h"

struct out_stage_record {
  struct fmt_rec_stage record;
  uint32_t recording; /* in profile.recordings */
  uint32_t stage;     /* in profile.stages */
};

struct out_queue_record {
  struct fmt_rec_queue record;
  uint32_t recording;
  uint32_t name, label; /* strings */
};

struct out_event_record {
  struct fmt_rec_event record;
  uint32_t recording;
  uint32_t name; /* string */
  bool has_times;
  struct fmt_rec_event_times times;
};

struct out_counter_record {
  struct fmt_rec_counter record;
  uint32_t recording;
  uint32_t key; /* string */
};

struct out_counter_use_record {
  struct fmt_rec_counter_use record;
  uint32_t thread;
  uint32_t counter; /* in stage_records.counters */
  uint32_t stage;   /* in stage_records.stages, FMT_NONE for none */
};

struct out_tasks_record {
  struct fmt_rec_tasks record;
  uint32_t thread;    /* in profile.threads */
  uint32_t stage;     /* in stage_records.stages */
  uint32_t histogram; /* in profile.times, FMT_NONE for none */
  uint32_t gaps;      /* likewise */
  bool has_work, has_waits;
  struct fmt_rec_task_work work;
  struct fmt_rec_task_waits waits; /* their edges are numbers of profile.edges, plus 1 */
};

struct out_queue_use_record {
  struct fmt_rec_queue_use record;
  uint32_t thread;
  uint32_t queue; /* in stage_records.queues */
  uint32_t put_histogram, get_histogram;
};

/* In the order of the recordings' lists. */
struct out_stage_records {
  struct base_vector stages;       /* struct out_stage_record */
  struct base_vector queues;       /* struct out_queue_record */
  struct base_vector events;       /* struct out_event_record */
  struct base_vector tasks;        /* struct out_tasks_record */
  struct base_vector uses;         /* struct out_queue_use_record */
  struct base_vector counters;     /* struct out_counter_record */
  struct base_vector counter_uses; /* struct out_counter_use_record */
};

void out_stage_records_init(struct out_stage_records *kept);
void out_stage_records_free(struct out_stage_records *kept);

#endif
