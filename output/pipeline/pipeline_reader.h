/*
 * A recording on its way into statistics: what pipeline_read.c and pipeline_parts.c share.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_PIPELINE_READER_H
#define CALLSIG_OUTPUT_PIPELINE_PIPELINE_READER_H

#include "format/index.h"
#include "output/pipeline/pipeline.h"
#include "output/pipeline/thread_parts.h"
#include "output/recording/stage_reader.h"
#include "output/text/idset.h"

/* A key that a program counts by; of another process it has no name. */
struct out_known_counter {
  const char *key;
  uint32_t kind; /* enum fmt_counter_kind */
};

/* One recording on its way. The vectors of uint64_t are lists of out_recording_number(). */
struct out_pipeline_reader {
  struct out_recording *recording;
  struct callsig_pipeline *pipeline;
  uint64_t now;  /* ticks: the latest moment that is known of */
  double tick;   /* seconds, of the process whose records are being read */
  uint32_t only; /* of a merged recording: the process that is read, counted from 1; 0: all */
  struct out_stage_reader lists;
  struct base_vector processes;
  struct out_thread_parts parts;
  uint32_t first_replica; /* of the thread whose part is being added */
  struct base_vector
      stage_of; /* uint32_t by number of a stage record: in pipeline.stages; FMT_NONE: another process's */
  struct base_vector
      queue_of;              /* uint32_t by number of a queue record: in pipeline.queues; FMT_NONE: another process's */
  struct base_vector levels; /* struct fmt_rec_queue by number: what waits for `now` to be known */
  struct base_vector counter_of;                    /* struct out_known_counter by number of a counter record */
  struct out_idset stage_set, queue_set, event_set; /* of the pipeline's, by label or name */
  struct out_idset link_set;                        /* of the pipeline's links, by stage and queue */
  struct out_idset counter_set;                     /* of the pipeline's counters, by kind, key and stage */
};

static inline void out_pipeline_saw(struct out_pipeline_reader *reader, uint64_t ticks)
{
  if (ticks != UINT64_MAX && ticks > reader->now)
    reader->now = ticks;
}

/* Does a record that refers to `process` belong to what is read? */
static inline bool out_pipeline_is_ours(const struct out_pipeline_reader *reader, uint64_t process)
{
  if (!reader->only)
    return true;
  uint32_t number = out_recording_known(reader->recording, &reader->processes, process);
  return (number == FMT_NONE ? 0 : number) == reader->only - 1;
}

/* The name at `address` as it may be printed; "?" when there is none. NULL when memory is short. */
static inline const char *out_pipeline_copy_name(struct out_pipeline_reader *reader, uint64_t address)
{
  size_t length = 0;
  const char *name = out_recording_name(reader->recording, address, &length);
  return out_pipeline_copy_text(reader->pipeline, name ? name : "?", name ? length : 1);
}

/* Adds what one thread did. 0 or -ENOMEM. */
int out_pipeline_add_part(struct out_pipeline_reader *reader, const struct out_thread_part *part);

#endif
