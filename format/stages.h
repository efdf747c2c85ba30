/*
 * The stages of pipelines and the queues between them: records of format/recording.h.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_STAGES_H
#define CALLSIG_FORMAT_STAGES_H

#include <stdint.h>

#include "format/record_tag.h"

/* A stage of a pipeline. `label` is "PIPELINE:INDEX:NAME[CONCURRENCY]", the bracket left out for a concurrency of 1. */
struct fmt_rec_stage {
  struct fmt_rec_tag tag;
  uint64_t next;  /* next older */
  uint64_t name;  /* address of a fmt_rec_name */
  uint64_t label; /* address of a fmt_rec_name */
  uint32_t pipeline, index;
  uint32_t concurrency;
  uint32_t number;                     /* 0, 1, 2 ... in order of opening */
  uint64_t opened_ticks, closed_ticks; /* closed 0 while open */
  uint64_t dropped;                    /* tasks that a callback refused, at their beginning or their end */
  uint64_t callback_failures;          /* callbacks of any kind that failed */
  uint64_t merged_signatures;          /* tasks that count without their text: the stage has too many texts */
  uint32_t flags;                      /* enum fmt_stage_flag */
  uint32_t processors; /* thousandths of a processor that the process could use when it was opened, by its affinity and
                          cgroups; 0 unknown */
  uint64_t process;    /* address of a fmt_rec_process, in a merged recording: the clock of its times */
};

enum fmt_stage_flag {
  FMT_STAGE_OWN_TIME =
      1u << 0, /* the times in its fmt_rec_tasks leave out tasks inside its own, and waits for queues */
};

/* What a queue holds, in one 16-byte word that is replaced as a whole. While it is empty, the time it has been empty
 * is empty_ticks + now (modulo 2^64), else empty_ticks: the moments at which it became empty are subtracted, those at
 * which it was filled are added. A queue is empty from its opening. `items` as a signed number may be below 0 for a
 * moment, when a get is told of before its put: the queue is empty then. */
struct fmt_rec_queue_level {
  uint64_t items;
  uint64_t empty_ticks;
} __attribute__((aligned(16)));

struct fmt_rec_queue {
  struct fmt_rec_tag tag;
  uint64_t next;                       /* next older */
  uint64_t name;                       /* address of a fmt_rec_name */
  uint64_t label;                      /* address of a fmt_rec_name: "PIPELINE:INDEX:NAME" */
  uint32_t pipeline, index;            /* the stage that puts into it has this index; see docs/stages.md */
  uint64_t capacity;                   /* 0: unbounded or unknown */
  uint64_t high_water;                 /* the most items it held */
  uint64_t opened_ticks, closed_ticks; /* closed 0 while open */
  uint32_t number;
  uint32_t reserved32;
  struct fmt_rec_queue_level level; /* at an offset that is a multiple of 16 */
  uint64_t process;                 /* as of a stage */
  uint64_t reserved[3];
};

/* One queue as one thread used it. One writer. Times are those spent waiting to put and to get. */
struct fmt_rec_queue_use {
  struct fmt_rec_tag tag;
  uint64_t next;  /* next older of the thread */
  uint64_t queue; /* address of a fmt_rec_queue */
  uint64_t puts, put_total, put_min, put_max, put_histogram;
  uint64_t gets, get_total, get_min, get_max, get_histogram;
  uint64_t failed; /* puts and gets that gave up: the queue was closed, or time ran out */
  uint64_t reserved[4];
};

#endif
