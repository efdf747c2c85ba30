/*
 * The timeline of recordings as trace viewers show it: processes, rows of nested spans, and what joins them.
 *
 * A row is a thread. One whose tasks are all of one stage is a replica of that stage, and called so. Where spans of a
 * thread do not nest (threads that were folded into one, coroutines) the thread has several rows, in each of which they
 * do. Times are nanoseconds since the first of the processes began.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_TIMELINE_H
#define CALLSIG_OUTPUT_EXPORT_TIMELINE_H

#include "output/stats/stats_object.h"

struct out_timeline_process {
  uint32_t recording; /* in profile.recordings */
  uint32_t id;        /* its pid; another number when two have the same */
  uint64_t offset;    /* nanoseconds at which it began */
};

struct out_timeline_row {
  uint32_t process; /* in processes */
  uint32_t thread;  /* in profile.threads */
  uint32_t id;      /* the thread's tid; another number when that is taken in this process */
  uint32_t lane;    /* 0, 1 ...: which of the thread's rows */
  uint32_t stage;   /* the stage that it is a replica of, 0 for none */
  uint32_t replica; /* 0, 1 ... of the stage's rows in this process */
};

struct out_timeline_span {
  uint64_t start, end; /* nanoseconds */
  uint32_t span;       /* in profile.spans */
  uint32_t row;        /* in rows; FMT_NONE: a range, which need not nest with anything */
};

/* A task with an item, as a step of the item's way. */
struct out_timeline_step {
  uint64_t item, start;
  uint32_t pipeline, process;
  uint32_t span; /* in spans */
};

struct out_timeline {
  struct callsig_stats *stats;  /* borrowed; grouped */
  struct base_vector processes; /* struct out_timeline_process */
  struct base_vector rows;      /* struct out_timeline_row */
  struct base_vector spans;     /* struct out_timeline_span, by row, then outer before inner, then by time */
  struct base_vector steps;     /* struct out_timeline_step, by process, pipeline, item and time */
  struct out_arguments scratch;
};

/* Was one recorded? Calls that were open at the end are spans without one, too. */
bool out_timeline_is_there(const struct callsig_stats *stats);

/* Makes the timeline of a grouped object: the spans that its filters select. Calls and tasks are selected as rows are;
 * waits and events are left out when there is a filter by function, signature, stage or module. -ENODATA after a
 * message when the recordings have no timeline; -ENOMEM. Free with out_timeline_free(). */
int out_timeline_make(struct callsig_stats *stats, struct out_timeline *timeline);
void out_timeline_free(struct out_timeline *timeline);

/* Nanoseconds of a reading of a process's clock. A reading from before its start, which only a damaged file has, is the
 * start. */
uint64_t out_timeline_nanoseconds(const struct out_timeline *timeline, uint32_t recording, uint64_t ticks);

static inline const struct out_timeline_row *out_timeline_row(const struct out_timeline *timeline, uint32_t number)
{
  return base_vector_at(&timeline->rows, number);
}

static inline const struct out_timeline_process *out_timeline_process(const struct out_timeline *timeline,
                                                                      uint32_t number)
{
  return base_vector_at(&timeline->processes, number);
}

static inline const struct out_timeline_span *out_timeline_span(const struct out_timeline *timeline, uint32_t number)
{
  return base_vector_at(&timeline->spans, number);
}

/* What a span is of, as the timeline's readers tell kinds apart. */
enum out_shown_kind { OUT_SHOWN_CALL, OUT_SHOWN_TASK, OUT_SHOWN_WAIT, OUT_SHOWN_EVENT, OUT_SHOWN_RANGE };
enum out_shown_kind out_timeline_kind(const struct out_timeline *timeline, const struct out_timeline_span *span);

/* The code of a call's or task's function; FMT_NONE for other spans. */
uint32_t out_timeline_code(const struct out_timeline *timeline, const struct out_timeline_span *span);

/* The label of the stage that a call or task belongs to; NULL for none. */
const char *out_timeline_stage(const struct out_timeline *timeline, const struct out_timeline_span *span);

/* Appends the name of a span: "decode_jpeg", "0:1:decode[2]", "put 0:0:read". */
void out_timeline_name(const struct out_timeline *timeline, const struct out_timeline_span *span,
                       struct out_text *text);

/* Appends "decode_jpeg(size=4096)"; nothing for spans without a signature. */
void out_timeline_signature(struct out_timeline *timeline, const struct out_timeline_span *span, struct out_text *text);

/* Appends the name of a row. */
void out_timeline_row_name(const struct out_timeline *timeline, const struct out_timeline_row *row,
                           struct out_text *text);

/* True when the step goes on from the one before it: the same item of the same pipeline and process. */
bool out_timeline_goes_on(const struct out_timeline *timeline, uint32_t step);

#endif
