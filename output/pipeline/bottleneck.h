/*
 * Which stage bounds a pipeline, and why. docs/pipeline-statistics.md has the rules and where they come from.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_BOTTLENECK_H
#define CALLSIG_OUTPUT_PIPELINE_BOTTLENECK_H

#include "output/pipeline/pipeline.h"

/* A straggler takes so many times as long for a task as its stage elsewhere, each with so many tasks at least. */
#define OUT_STRAGGLER_RATIO 2.0
#define OUT_STRAGGLER_TASKS 5

/* What a stage's replicas spend most of their time on, beside work. */
enum out_stage_state {
  OUT_STAGE_BUSY,    /* it waits for neither */
  OUT_STAGE_STARVED, /* it waits for input */
  OUT_STAGE_BLOCKED, /* it waits for space behind it */
  OUT_STAGE_IDLE,    /* it does not work most of the time, and no queue says what for it waits */
};

enum out_failure_level { OUT_FAILURES_FEW, OUT_FAILURES_CONCERN, OUT_FAILURES_CRITICAL };

struct out_stage_view {
  const struct out_stage *stage;
  const struct callsig_queue_stats *input, *output; /* NULL: none is recorded */
  enum out_stage_state state;
  double replicas; /* tasks that it works on at a time: its concurrency, or more when that was exceeded */
  double busy;     /* shares of its replicas' time: at work ... */
  double get_wait; /* ... waiting for an item ... */
  double put_wait; /* ... or for space */
  double rate;     /* tasks a second that it could do: replicas / ave_time; 0 unknown */
  double failure_rate;
  enum out_failure_level failures;
  bool pauses;     /* p90 is far above the median */
  bool aggregates; /* it makes one item of several, so that its input is normally not occupied */
};

/* A thread that takes at least twice as long for a task as the others of its stage. */
struct out_straggler {
  const struct out_stage_view *view;
  const struct out_replica *replica;
  double mean, others; /* seconds a task */
};

enum out_bound {
  OUT_BOUND_UNKNOWN, /* nothing ran, or nothing is busy and no queue says why */
  OUT_BOUND_STAGE,
  OUT_BOUND_SOURCE, /* what puts into the first queue: every stage waits for it */
  OUT_BOUND_SINK,   /* what takes from the last queue */
  OUT_BOUND_GAP,    /* what takes from the queue `before`, of which no tasks are recorded */
};

/* One pipeline of a recording. */
struct out_bottleneck {
  unsigned pipeline;
  struct out_stage_view *views; /* by index; owned */
  uint32_t count;
  enum out_bound bound;
  const struct out_stage_view *stage;                /* the bounding one, or NULL. With OUT_BOUND_UNKNOWN the busiest */
  const struct out_stage_view *equal;                /* another that is as busy, NULL: none */
  const struct callsig_queue_stats *before, *behind; /* the queues that show it; NULL: none */
  const struct out_stage_view *step; /* the first stage from an occupied to an empty queue; NULL: none */
  double window;                     /* seconds from the first task to the last */
  double throughput;                 /* tasks a second of the bounding stage in it */
  double gain;                       /* what doubling its concurrency could multiply that by at most */
  const struct out_stage_view *next; /* which stage bounds the pipeline then; NULL: the same one still */
  struct base_vector stragglers;     /* struct out_straggler */
};

/* What bounds the pipeline that stage or queue lists have at `*stage` and `*queue`, which move on to the next one;
 * both 0 at first. 1 with a bottleneck to be freed, 0 after the last, or -ENOMEM after a message. It refers to
 * `pipeline`. */
int out_bottleneck_next(const struct callsig_pipeline *pipeline, uint32_t *stage, uint32_t *queue,
                        struct out_bottleneck *bottleneck);
void out_bottleneck_free(struct out_bottleneck *bottleneck);

#endif
