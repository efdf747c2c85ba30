/*
 * Statistics of stages, queues and events: the object behind callsig/pipeline.h as the files of output/ share it.
 *
 * pipeline_read.c reads it from a recording, pipeline_load.c does that by its path, pipeline_delta.c makes
 * an interval of two, pipeline.c hands it out.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_PIPELINE_H
#define CALLSIG_OUTPUT_PIPELINE_PIPELINE_H

#include "base/arena.h"
#include "base/vector.h"
#include "callsig/pipeline.h"
#include "callsig/stats.h"
#include "output/pipeline/task_work.h"
#include "output/recording/histogram.h"
#include "output/recording/pauses.h"
#include "output/recording/recording.h"

/* The public fields that are sums are filled when a recording is read; out_pipeline_derive() makes the others of them.
 */
struct out_stage {
  struct callsig_stage_stats stats;
  double min_ticks, max_ticks;      /* of successes; without one 0 */
  struct out_histogram times;       /* ticks */
  struct out_histogram gaps;        /* ticks from the end of a task to that of the next, of those looked at */
  double put_wait, get_wait;        /* what its threads waited to put into its queue, and to get from those before it */
  uint64_t first_ticks, last_ticks; /* when its first task began and its last one ended; with one open: now */
  struct out_task_work work;
  double processors; /* that the process could use when the stage was opened; 0 unknown */
  uint32_t met;      /* while it is read: when, among the stages */
};

struct out_queue {
  struct callsig_queue_stats stats;
  double put_min_ticks, put_max_ticks, get_min_ticks, get_max_ticks;
  struct out_histogram put, get;
  double recorded; /* seconds of `elapsed` in which it was recorded */
  uint32_t takers; /* while it is joined: of how many processes `empty_time` is the sum */
  double ring;     /* the items that go round by it: rings.h; 0: it closes no ring */
};

/* The tasks of one stage in one thread. */
struct out_replica {
  uint32_t stage; /* in callsig_pipeline.stages */
  uint32_t first; /* of its thread, in callsig_pipeline.replicas: those of a thread follow one another */
  unsigned tid;
  const char *thread; /* its name */
  bool folded;        /* several threads that ended */
  uint64_t tasks, failures;
  double total_time;                 /* of successes */
  double own_time;                   /* of all, without tasks and waits for queues inside; below 0: unknown */
  bool is_open;                      /* one has not ended */
  double waited, got;                /* seconds that its thread waited for queues; of these, to get items */
  uint64_t thread_start, thread_end; /* ticks; the end is 0 while it lives */
  uint32_t shift;                    /* slots are 2^shift ticks, and begin with the recording */
  struct fmt_rec_task_slot slots[FMT_TASK_SLOTS]; /* all 0 where they are unknown */
};

static inline bool out_replica_is_idle(const struct out_replica *replica)
{
  return replica->tasks == 0 && !replica->is_open;
}

/* A queue that the threads of a stage put into, or get from. */
struct out_link {
  uint32_t stage;    /* in callsig_pipeline.stages */
  const char *queue; /* its label */
  bool shared;       /* by threads that run tasks of other stages, too */
  uint64_t gets, puts;
};

static inline uint64_t out_stage_successes(const struct callsig_stage_stats *stats)
{
  return stats->num_tasks - stats->num_failures;
}

/* What threads were found doing inside of a stage's tasks. */
struct out_stage_wait {
  uint32_t stage;   /* in callsig_pipeline.stages */
  uint32_t kind;    /* enum fmt_wait_kind */
  uint64_t address; /* of a futex, or 0 */
  uint64_t looks;
};

/* When an event happened. */
struct out_moment {
  uint32_t event;     /* in callsig_pipeline.events */
  uint64_t number;    /* the how-manieth of that event it was, from 1 */
  double start, time; /* seconds since 1970; how long it lasted */
};

/* About two seconds. */
#define OUT_FORECAST_STEPS UINT64_C(40000000)

struct callsig_pipeline {
  struct callsig_pipeline_info info;
  const char *file;       /* what it was read from: the merged recording where info.path is a part of it */
  bool damage_is_told;    /* of that file */
  uint8_t build_id[32];   /* of the program */
  uint32_t build_id_size; /* 0: it is not known */
  uint32_t processes;     /* that were joined; 0: it is of one */
  uint32_t only_process;  /* of a merged recording, counted from 1; 0: of all */
  double tick;            /* seconds */
  uint64_t start_ticks;   /* when the recording began */
  uint64_t period;        /* how often it was made to count from zero: `start` and all counts are of the last time */
  bool has_rank;
  int64_t rank;                     /* of a parallel job */
  bool is_cpu_clock;                /* times are CPU times, which tell nothing of waits */
  double recorded;                  /* seconds of `elapsed` that were recorded */
  struct out_pauses pauses;         /* when it was not; unknown in recordings of earlier versions */
  uint64_t steps, active_steps;     /* of a schedule; 0: there was none */
  struct base_vector stages;        /* struct out_stage, by pipeline and index */
  struct base_vector queues;        /* struct out_queue, by pipeline and index */
  struct base_vector events;        /* struct callsig_event_stats */
  struct base_vector moments;       /* struct out_moment: of each event the last ones, as far as they are known */
  struct base_vector counters;      /* struct out_counter, by key and stage */
  struct base_vector counter_parts; /* struct out_counter_thread, by key, stage and thread */
  struct base_vector actions;       /* struct callsig_action_stats */
  struct base_vector replicas;      /* struct out_replica */
  struct base_vector links;         /* struct out_link */
  struct base_vector waits;         /* struct out_stage_wait, one for each stage, kind and address */
  struct base_vector functions;     /* struct callsig_function_stats */
  struct callsig_process_stats process;
  struct base_vector group; /* struct callsig_group_stats, by pid; the whole group last */
  uint64_t forecast_steps;  /* how much may be simulated for a document, in steps of simulations */
  bool has_process;
  bool has_functions;        /* functions were looked at, though there may be none */
  struct base_arena strings; /* what all of them point to */
};

/* Stages, queues and events begin with a public structure, whose second field is the name that they meet by. */
struct out_named_stats {
  size_t size;
  const char *name;
};
_Static_assert(offsetof(struct callsig_stage_stats, label) == offsetof(struct out_named_stats, name),
               "a stage's label");
_Static_assert(offsetof(struct callsig_queue_stats, label) == offsetof(struct out_named_stats, name),
               "a queue's label");
_Static_assert(offsetof(struct callsig_event_stats, name) == offsetof(struct out_named_stats, name), "an event's name");

/* An empty one. NULL when memory is short, after a message. */
struct callsig_pipeline *out_pipeline_new(void);

/* The processes of a merged recording. Free with out_pipeline_processes_free(). */
struct out_pipeline_processes {
  struct base_vector list; /* uint64_t: their addresses; none unless it is merged */
  uint8_t *has;            /* by number: stages, queues or events refer to it. Owned */
  uint32_t count;          /* of those that have some */
};

/* Finds them. Records may be numbered afterwards. 0 or -ENOMEM. */
int out_pipeline_find_processes(struct out_recording *recording, struct out_pipeline_processes *processes);
void out_pipeline_processes_free(struct out_pipeline_processes *processes);

/* pipeline_read.c: reads what belongs to process `only` of a merged recording, counted from 1, or everything (0), by
 * the header as it stands. */
int out_pipeline_read_part(struct out_recording *recording, uint32_t only, const struct fmt_rec_clock_point *now,
                           struct callsig_pipeline **pipeline);

/* Sorts stages and queues by pipeline, index and label; replicas follow theirs. 0 or -ENOMEM. */
int out_pipeline_sort(struct callsig_pipeline *pipeline);

/* Reads that of one process of a merged recording, counted from 1. Otherwise as out_pipeline_read(). */
int out_pipeline_read_process(struct out_recording *recording, uint32_t process, struct callsig_pipeline **pipeline);

/* The calls of the recording and process that it was read from. 0 or a negative errno after a message. */
int out_pipeline_stats(const struct callsig_pipeline *pipeline, struct callsig_stats **stats);

/* Reads it from a recording, which may be attached only. `now` is the clock as it stands, NULL: as the recording last
 * read it. 0, or after a message -ENOMEM, or -ENOTSUP when it is merged and several processes have stages, queues or
 * events; damage is counted. */
int out_pipeline_read(struct out_recording *recording, const struct fmt_rec_clock_point *now,
                      struct callsig_pipeline **pipeline);

/* Was a queue put into and never taken from, or the other way round? The other end may be in another process. */
static inline bool out_queue_is_one_sided(const struct callsig_queue_stats *queue)
{
  return (queue->puts > 0) != (queue->num_items > 0);
}

/* The share of its time that a queue held items, 0 to 1; 0 of one that was there for no time. */
double out_queue_occupancy(const struct callsig_queue_stats *queue);

/* Has the times of queues in a reading, `now`, go on from those in the one before it, of the same recording: what a
 * thread did to a queue after the clock was read, and another tick, which is measured better as time goes by, let them
 * fall by a little otherwise, or grow by more than time did. */
void out_pipeline_follow(const struct callsig_pipeline *before, struct callsig_pipeline *now);

/* What was added from `before` (NULL: from nothing; likewise where it is of an earlier period) to `now`. Functions are
 * subtracted from those in `functions_before`, the last reading before that had them (NULL: none), where `now` has
 * them. -ENOMEM after a message. Nothing of the three is kept. */
int out_pipeline_delta(const struct callsig_pipeline *before, const struct callsig_pipeline *functions_before,
                       const struct callsig_pipeline *now, struct callsig_pipeline **delta);

/* A text as it may be printed, as long as the pipeline. NULL when memory is short. */
const char *out_pipeline_copy_text(struct callsig_pipeline *pipeline, const char *text, size_t length);

/* Writes a text out and frees it. 0 or a negative errno after a message. */
int out_pipeline_write(struct out_text *text, FILE *out);

/* Computes means, percentiles and rates from sums and histograms. */
void out_pipeline_derive(struct callsig_pipeline *pipeline);

/* Of the time from `from` until `until`, in ticks, the seconds that were recorded. */
static inline double out_pipeline_recorded(const struct callsig_pipeline *pipeline, uint64_t from, uint64_t until)
{
  return until > from ? (double)(until - from - out_pauses_within(&pipeline->pauses, from, until)) * pipeline->tick : 0;
}

static inline struct out_stage *out_pipeline_stage_at(const struct callsig_pipeline *pipeline, size_t index)
{
  return base_vector_at(&pipeline->stages, (uint32_t)index);
}

static inline struct out_queue *out_pipeline_queue_at(const struct callsig_pipeline *pipeline, size_t index)
{
  return base_vector_at(&pipeline->queues, (uint32_t)index);
}

#endif
