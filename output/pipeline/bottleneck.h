/*
 * What bounds a pipeline, and why. docs/pipeline-statistics.md has the rules and where they come from.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_BOTTLENECK_H
#define CALLSIG_OUTPUT_PIPELINE_BOTTLENECK_H

#include "output/pipeline/stage_view.h"

/* A straggler takes so many times as long for a task as its stage elsewhere, each with so many tasks at least. */
#define OUT_STRAGGLER_RATIO 2.0
#define OUT_STRAGGLER_TASKS 5

/* Of the time of tasks, in which they wait for one lock: it is held all the time. Of that of two stages, for one that
 * both wait for. */
#define OUT_LOCKED 0.25
#define OUT_SHARED 0.15

/* Of the processors that there are: no more can be used. */
#define OUT_ALL_USED 0.90

/* A thread that takes at least twice as long for a task as the others of its stage. */
struct out_straggler {
  const struct out_stage_view *view;
  const struct out_replica *replica;
  double mean, others;     /* seconds a task */
  double chance;           /* that it takes so much longer than all do by chance alone, at most */
  unsigned parts, slowest; /* of the time: that could be judged; in which it takes so much longer, and longest of all */
};

/* In most parts of the time one of a stage's threads takes twice as long for a task, and not always the same one. */
struct out_turns {
  const struct out_stage_view *view;
  unsigned parts, slow, threads; /* that could be judged; of them, in which one does; how many threads these are */
};

/* A part of the time, in which one stage bounds the pipeline. */
struct out_phase {
  double from, until;                /* seconds since the pipeline's first task */
  const struct out_stage_view *view; /* NULL: none does */
  double busy;
};

/* A thread that runs tasks of several stages, one after the other. */
struct out_unit {
  const struct out_replica *replica; /* one of its stages; NULL: there is no such thread */
  double busy;                       /* the share of its time that its stages work */
  const struct out_stage_view *most; /* of its stages, the one that takes most of that, ... */
  double most_busy;                  /* ... and how much */
};

/* So many of the pipelines that share a pool are named. */
#define OUT_POOL_NAMED 4

/* Threads that run stages of this pipeline and of others. */
struct out_pool {
  uint32_t threads;
  double busy;                                 /* the share of their time that they work, for all pipelines */
  double here;                                 /* of that, for this one */
  double computes;                             /* processors that they use for tasks */
  unsigned others[OUT_POOL_NAMED], num_others; /* pipelines */
  const struct out_stage_view *most;           /* of this one's stages, that which they work for longest; NULL: none */
};

enum out_bound {
  OUT_BOUND_UNKNOWN, /* nothing ran, or nothing is busy and no queue says why */
  OUT_BOUND_STAGE,
  OUT_BOUND_SOURCE,    /* what puts into the first queue: every stage waits for it */
  OUT_BOUND_SINK,      /* what takes from the last queue */
  OUT_BOUND_GAP,       /* what takes from the queue `before`, of which no tasks are recorded */
  OUT_BOUND_PROCESSOR, /* the stages work, or could, and there are no processors for them */
  OUT_BOUND_THREAD,    /* a thread that runs several stages: `unit` */
  OUT_BOUND_MOVING,    /* one stage first and another later: `phases` */
  OUT_BOUND_POOL,      /* the threads that it shares with other pipelines: `pool` */
  OUT_BOUND_RING,      /* too few items go round in a ring, by the queue `before` */
};

/* One pipeline of a recording. */
struct out_bottleneck {
  unsigned pipeline;
  struct out_stage_view *views; /* by index; owned */
  uint32_t count;
  enum out_bound bound;
  bool is_cpu_clock;                  /* so that nothing can be told */
  bool outside;                       /* the bounding stage waits outside of its tasks */
  const struct out_stage_view *stage; /* the bounding one, or NULL. Without one the busiest */
  const struct out_stage_view *equal; /* another that is as busy, NULL: none */
  /* Another that is busy and to which no queue leads: one of the two may wait inside of its tasks for the other. Or
   * NULL. */
  const struct out_stage_view *either;
  const struct out_stage_view *shares_wait; /* another whose tasks wait inside for the same thing */
  bool shares_seen;                         /* they do; else both are busy and wait for something, which may be it */
  bool locked; /* the bounding stage's tasks wait for a lock so long that more of them would do no more */
  const struct out_stage_view *untold; /* whose threads wait between their tasks for what is not told; NULL: none */
  double untold_share;                 /* of their time */
  const struct callsig_queue_stats *before, *behind; /* the queues that show it; NULL: none */
  const struct out_stage_view *step; /* the first stage from an occupied to an empty queue; NULL: none */
  struct out_unit unit;
  struct out_pool pool;
  double window;                     /* seconds from the first task to the last, as far as they were recorded, ... */
  double span;                       /* ... and all of them */
  double processors, used;           /* that it may use; that its threads used of them. 0 unknown */
  double throughput;                 /* tasks a second of the bounding stage in it */
  const struct out_stage_view *warm; /* a stage whose first task kept the others waiting; NULL: none */
  double warm_time;                  /* seconds */
  struct base_vector phases;         /* struct out_phase, several or none */
  struct base_vector stragglers;     /* struct out_straggler */
  struct base_vector turns;          /* struct out_turns: of stages without a straggler */
};

/* What bounds the pipeline that stage or queue lists have at `*stage` and `*queue`, which move on to the next one;
 * both 0 at first. 1 with a bottleneck to be freed, 0 after the last, or -ENOMEM after a message. It refers to
 * `pipeline`. */
int out_bottleneck_next(const struct callsig_pipeline *pipeline, uint32_t *stage, uint32_t *queue,
                        struct out_bottleneck *bottleneck);
void out_bottleneck_free(struct out_bottleneck *bottleneck);

/* Beside stages that items go through, one whose only task lasts as long as the stream is none. */
bool out_bottleneck_counts(const struct out_bottleneck *bottleneck, const struct out_stage_view *view);

/* stragglers.c: fills stragglers and turns. 0, or -ENOMEM after a message. */
int out_stragglers_find(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck,
                        uint32_t first_stage);

/* time_course.c: fills phases, warm and warm_time; and the views' busy shares as they are behind the warm-up. 0 or
 * -ENOMEM. */
int out_time_course(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck);

#endif
