/*
 * The timeline of recordings as trace viewers show it: processes, rows of nested spans, and what joins them.
 *
 * A row is a thread. One whose tasks are all of one stage is a replica of that stage, and called so. Where spans of a
 * thread do not nest (threads that were folded into one, coroutines) the thread has several rows, in each of which they
 * do. Times are nanoseconds since the first of the processes began.
 */
#ifndef CALLSIG_OUTPUT_TIMELINE_H
#define CALLSIG_OUTPUT_TIMELINE_H

#include "object.h"

struct cs_timeline_process {
  uint32_t recording; /* in profile.recordings */
  uint32_t id;        /* its pid; another number when two have the same */
  uint64_t offset;    /* nanoseconds at which it began */
};

struct cs_timeline_row {
  uint32_t process; /* in processes */
  uint32_t thread;  /* in profile.threads */
  uint32_t id;      /* the thread's tid; another number when that is taken in this process */
  uint32_t lane;    /* 0, 1 ...: which of the thread's rows */
  uint32_t stage;   /* the stage that it is a replica of, 0 for none */
  uint32_t replica; /* 0, 1 ... of the stage's rows in this process */
};

struct cs_timeline_span {
  uint64_t start, end; /* nanoseconds */
  uint32_t span;       /* in profile.spans */
  uint32_t row;        /* in rows; CS_NONE: a range, which need not nest with anything */
};

/* A task with an item, as a step of the item's way. */
struct cs_timeline_step {
  uint64_t item, start;
  uint32_t pipeline, process;
  uint32_t span; /* in spans */
};

struct cs_timeline {
  struct callsig_stats *stats; /* borrowed; prepared */
  struct cs_vector processes;  /* struct cs_timeline_process */
  struct cs_vector rows;       /* struct cs_timeline_row */
  struct cs_vector spans;      /* struct cs_timeline_span, by row, then outer before inner, then by time */
  struct cs_vector steps;      /* struct cs_timeline_step, by process, pipeline, item and time */
  struct cs_arguments scratch;
};

/* Makes the timeline of a prepared object: the spans that its filters select. Calls and tasks are selected as rows are;
 * waits and events are left out when there is a filter by function, signature, stage or module. -ENODATA after a
 * message when the recordings have no timeline; -ENOMEM. Free with cs_timeline_free(). */
int cs_timeline_make(struct callsig_stats *stats, struct cs_timeline *timeline);
void cs_timeline_free(struct cs_timeline *timeline);

static inline const struct cs_timeline_row *cs_timeline_row(const struct cs_timeline *timeline, uint32_t number)
{
  return cs_vector_at(&timeline->rows, number);
}

static inline const struct cs_timeline_process *cs_timeline_process(const struct cs_timeline *timeline, uint32_t number)
{
  return cs_vector_at(&timeline->processes, number);
}

static inline const struct cs_timeline_span *cs_timeline_span(const struct cs_timeline *timeline, uint32_t number)
{
  return cs_vector_at(&timeline->spans, number);
}

/* What a span is of, as the timeline's readers tell kinds apart. */
enum cs_shown_kind { CS_SHOWN_CALL, CS_SHOWN_TASK, CS_SHOWN_WAIT, CS_SHOWN_EVENT, CS_SHOWN_RANGE };
enum cs_shown_kind cs_timeline_kind(const struct cs_timeline *timeline, const struct cs_timeline_span *span);

/* The code of a call's or task's function; CS_NONE for other spans. */
uint32_t cs_timeline_code(const struct cs_timeline *timeline, const struct cs_timeline_span *span);

/* The label of the stage that a call or task belongs to; NULL for none. */
const char *cs_timeline_stage(const struct cs_timeline *timeline, const struct cs_timeline_span *span);

/* Appends the name of a span: "decode_jpeg", "0:1:decode[2]", "put 0:0:read". */
void cs_timeline_name(const struct cs_timeline *timeline, const struct cs_timeline_span *span, struct cs_text *text);

/* Appends "decode_jpeg(size=4096)"; nothing for spans without a signature. */
void cs_timeline_signature(struct cs_timeline *timeline, const struct cs_timeline_span *span, struct cs_text *text);

/* Appends the name of a row. */
void cs_timeline_row_name(const struct cs_timeline *timeline, const struct cs_timeline_row *row, struct cs_text *text);

/* True when the step goes on from the one before it: the same item of the same pipeline and process. */
bool cs_timeline_goes_on(const struct cs_timeline *timeline, uint32_t step);

#endif
