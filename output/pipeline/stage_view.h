/*
 * A stage as the verdict looks at it: how its replicas spend their time, and between which queues it stands.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_STAGE_VIEW_H
#define CALLSIG_OUTPUT_PIPELINE_STAGE_VIEW_H

#include "output/pipeline/stage_waits.h"

/* Shares of time from which on something is said. docs/pipeline-statistics.md gives them too. */
#define OUT_BUSY_ENOUGH 0.70 /* of its time: a stage bounds the pipeline */
#define OUT_OCCUPIED    0.50 /* of the time: a queue counts as full; below as empty */

/* What a stage's replicas spend most of their time on, beside work. */
enum out_stage_state {
  OUT_STAGE_BUSY,     /* it waits for neither */
  OUT_STAGE_STARVED,  /* it waits for input */
  OUT_STAGE_BLOCKED,  /* it waits for space behind it */
  OUT_STAGE_IDLE,     /* it does not work most of the time, and no queue says what for it waits */
  OUT_STAGE_FINISHED, /* its last task ended long before the pipeline's, and longer than it waited */
};

enum out_failure_level { OUT_FAILURES_FEW, OUT_FAILURES_CONCERN, OUT_FAILURES_CRITICAL };

struct out_stage_view {
  const struct out_stage *stage;
  const struct callsig_queue_stats *input, *output; /* NULL: none is recorded */
  enum out_stage_state state;
  double ended;       /* the share of the window behind its last task, when that ended long before; else 0 */
  double finished;    /* seconds since the pipeline's first task, when it is */
  double replicas;    /* tasks that it works on at a time: its concurrency, or more when that was exceeded, or less when
                         fewer threads did its tasks */
  double at_once;     /* the same on average, where threads came and went */
  double available;   /* recorded seconds of the window in which they could */
  double thread_time; /* the same, or more, where there were more threads */
  bool varies;        /* its threads were not there all the time */
  uint32_t number;    /* of its stage, in callsig_pipeline.stages */
  unsigned threads;   /* that did its tasks; 0: it is not known */
  bool fewer;      /* they were fewer than its concurrency, all the time or some of it: its shares are of their time */
  double busy;     /* shares of its replicas' time: at work ... */
  double get_wait; /* ... waiting for an item ... */
  double put_wait; /* ... or for space */
  bool waits_exceed;             /* the waits were more than what work leaves of its time, and were cut to that */
  struct out_task_shares shares; /* of `busy` */
  struct out_waits waits;        /* what its tasks were found waiting for */
  double lock;      /* the share of its tasks' time in which they wait for one lock; 0 when few were seen */
  double condition; /* likewise for conditions, which other threads make true */
  bool pooled;      /* its threads run tasks of other pipelines, too, meanwhile */
  bool shared;      /* its threads run tasks of other stages, too */
  double rate;      /* tasks a second that it could do; 0 unknown */
  double mean;      /* seconds a task, failures included */
  double failure_rate;
  double failures_per_second, failed_mean; /* seconds of a task that failed */
  enum out_failure_level failures;
  bool pauses;        /* p90 is far above the median, or a few tasks take much of the time */
  double pause_tasks; /* the share of its tasks that take ten times the median, ... */
  double pause_time;  /* ... and their share of its time */
  bool aggregates;    /* it makes one item of several, so that its input is normally not occupied */
};

/* The share of its time that a stage does something itself: inside of its tasks it may wait for a condition, which is
 * for others to make true. */
static inline double out_stage_active(const struct out_stage_view *view)
{
  return view->busy * (1 - view->condition);
}

/* The tasks that it began. */
static inline uint64_t out_stage_begun(const struct out_stage_view *view)
{
  return view->stage->stats.num_tasks + view->stage->stats.open;
}

/* The window of a pipeline: from its first task to the end of its last, in ticks, in seconds, and in those of them that
 * were recorded. */
struct out_window {
  uint64_t first, last;
  double span, seconds;
};

/* Fills all of the view of stage `number` but `state`. */
void out_stage_view_fill(const struct callsig_pipeline *pipeline, uint32_t number, const struct out_window *window,
                         struct out_stage_view *view);

/* What the stage waits for when it does not work. */
void out_stage_view_judge(const struct callsig_pipeline *pipeline, const struct out_window *window,
                          struct out_stage_view *view);

bool out_queue_is_occupied(const struct callsig_queue_stats *queue);

#endif
