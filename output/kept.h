/*
 * What a recording says of stages, queues and events, kept as it is: rows have no use for it, but what is written again
 * (dump.h) has it. Addresses in the records mean nothing any more; what they referred to stands beside them.
 */
#ifndef CALLSIG_OUTPUT_KEPT_H
#define CALLSIG_OUTPUT_KEPT_H

#include "callsig/format/recording.h"
#include "vector.h"

struct cs_kept_stage {
  struct cs_rec_stage record;
  uint32_t recording; /* in profile.recordings */
  uint32_t stage;     /* in profile.stages */
};

struct cs_kept_queue {
  struct cs_rec_queue record;
  uint32_t recording;
  uint32_t name, label; /* strings */
};

struct cs_kept_event {
  struct cs_rec_event record;
  uint32_t recording;
  uint32_t name; /* string */
};

struct cs_kept_tasks {
  struct cs_rec_tasks record;
  uint32_t thread;    /* in profile.threads */
  uint32_t stage;     /* in kept.stages */
  uint32_t histogram; /* in profile.times, CS_NONE for none */
};

struct cs_kept_use {
  struct cs_rec_queue_use record;
  uint32_t thread;
  uint32_t queue; /* in kept.queues */
  uint32_t put_histogram, get_histogram;
};

/* In the order of the recordings' lists. */
struct cs_kept {
  struct cs_vector stages; /* struct cs_kept_stage */
  struct cs_vector queues; /* struct cs_kept_queue */
  struct cs_vector events; /* struct cs_kept_event */
  struct cs_vector tasks;  /* struct cs_kept_tasks */
  struct cs_vector uses;   /* struct cs_kept_use */
};

void cs_kept_init(struct cs_kept *kept);
void cs_kept_free(struct cs_kept *kept);

#endif
