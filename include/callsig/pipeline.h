/*
 * callsig: the statistics of stages, queues and events in a recording, over its lifetime or interval by interval.
 *
 * callsig/stats.h includes this; it stands alone, too. docs/pipeline-statistics.md says how each figure comes about.
 *
 * A callsig_pipeline is what is known of one recording: of its whole lifetime (callsig_pipeline_load()), or of one
 * interval of it (what a monitor's callback gets). It does not change; any thread may read it. Strings in the
 * structures below belong to it. Set `size` of a structure before it is filled; fields are only ever added at the end.
 * Times are seconds.
 */
#ifndef CALLSIG_PIPELINE_H
#define CALLSIG_PIPELINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "callsig/api.h"

#ifdef __cplusplus
extern "C" {
#endif

struct callsig_pipeline;

/* Reads the statistics of the recording at `path`, whose process may still be running: then they are as of now.
 * Errors as of callsig_stats_load(); -ENOTSUP also for a merged recording in which several processes have some. */
CALLSIG_STATS_API int callsig_pipeline_load(const char *path, struct callsig_pipeline **pipeline);

/* The same of each process that has stages, queues, events or actions where several have stages, queues or events: a
 * merged recording. They are as those of the recordings that it was made of, whose names are their `path`; anything
 * else is one pipeline, as of callsig_pipeline_load(). Free them with callsig_pipeline_free_all(). */
CALLSIG_STATS_API int callsig_pipeline_load_all(const char *path, struct callsig_pipeline ***pipelines, size_t *count);
CALLSIG_STATS_API void callsig_pipeline_free_all(struct callsig_pipeline **pipelines, size_t count);

/* Joins the pipelines of processes that queues connect: one that is only put into in one process, and only taken from
 * in another, while both were there. 1 with their stages and queues as one, without events, counters and actions, whose
 * pid is 0: to be freed before the others, which it refers to. 0 where no queue connects any; -ENOMEM after a message.
 */
CALLSIG_STATS_API int callsig_pipeline_join(const struct callsig_pipeline *const *pipelines, size_t count,
                                            struct callsig_pipeline **joined);

/* Frees it; NULL is allowed. */
CALLSIG_STATS_API void callsig_pipeline_free(struct callsig_pipeline *pipeline);

struct callsig_pipeline_info {
  size_t size;
  const char *path;    /* of the recording; the one that a process of a merged recording comes from */
  const char *program; /* "" when unknown */
  unsigned pid;
  double start, end;   /* of the lifetime or interval, seconds since 1970 */
  double elapsed;      /* between them, by the recording's own clock */
  unsigned intervals;  /* monitor: how many intervals this one covers; more than 1 when they had to wait. Else 0 */
  uint64_t unreadable; /* records that could not be read */
  int final;           /* monitor: this is the run's last interval */
  uint64_t damaged;    /* as of callsig_stats_damaged() */
};
CALLSIG_STATS_API int callsig_pipeline_info(const struct callsig_pipeline *pipeline,
                                            struct callsig_pipeline_info *info);

/* A stage. Tasks are those that ended; times are of those that succeeded, but for failed_time. Percentiles are those of
 * the histogram that the runtime keeps: within 2^-6 of the value itself (1.6 %), and exact at the first and last rank.
 */
struct callsig_stage_stats {
  size_t size;
  const char *label; /* "0:1:decode[10]" */
  const char *name;  /* "decode" */
  unsigned pipeline, index, concurrency;
  unsigned threads;   /* that ran tasks of it; threads that were folded together count as one */
  uint64_t num_tasks; /* failures included */
  uint64_t num_failures;
  uint64_t dropped;                                                  /* items that a callback refused */
  uint64_t open;                                                     /* tasks that had begun and not ended at the end */
  double total_time;                                                 /* of the successes */
  double failed_time;                                                /* of the failures */
  double ave_time, p50_time, p90_time, p99_time, min_time, max_time; /* 0 without a success */
};

/* A queue. It holds what stage `index` puts into it. */
struct callsig_queue_stats {
  size_t size;
  const char *label; /* "0:1:decode" */
  const char *name;
  unsigned pipeline, index;
  uint64_t capacity;         /* 0: unbounded or unknown */
  uint64_t high_water;       /* the most items it held, ever */
  uint64_t items;            /* that it held at the end */
  uint64_t num_items;        /* that were taken out */
  uint64_t puts;             /* items that were put in */
  uint64_t failed;           /* puts and gets that gave up */
  double elapsed;            /* in which it was open */
  double qps;                /* num_items / elapsed */
  double put_time, get_time; /* sums of the time that threads waited */
  double ave_put_time, p50_put_time, p90_put_time, p99_put_time, min_put_time, max_put_time;
  double ave_get_time, p50_get_time, p90_get_time, p99_get_time, min_get_time, max_get_time;
  double empty_time;     /* of `elapsed`, in which it held nothing; an empty period that goes on counts */
  double occupancy_rate; /* 1 - empty_time / elapsed; 0 when elapsed is 0 */
};

struct callsig_event_stats {
  size_t size;
  const char *name;
  uint64_t count;
  double total_time; /* of spans */
};

/* What callsig_counter_add() or callsig_level_set() were told of a key, inside of a stage's tasks or outside of any. */
struct callsig_counter_stats {
  size_t size;
  const char *key;
  const char *stage;  /* its label, NULL outside of any */
  const char *thread; /* its name; NULL: of all threads */
  unsigned tid;       /* 0: of all threads, or of several that ended */
  int is_level;
  uint64_t count;   /* how often it was added to, or set */
  uint64_t total;   /* of a counter: the sum, modulo 2^64 */
  double mean;      /* what was added each time; of the values that a level was set to */
  int64_t value;    /* of a level: what it was set to last */
  int64_t min, max; /* of a level: over the lifetime, also in an interval */
};

/* A named action. */
struct callsig_action_stats {
  size_t size;
  const char *name;
  uint64_t num_calls;
  double total_time, mean_time;
};

/* A function with a signature, in a stage: a row of the report by signature and stage. A monitor's interval has what
 * was added to it; a row that went into a wider one meanwhile is taken back by negative figures. */
struct callsig_function_stats {
  size_t size;
  const char *function;  /* "file.c:12(name)" */
  const char *signature; /* the printed text, "" for none */
  const char *stage;     /* its label, "" outside of any */
  int64_t ncalls;
  double tottime, cumtime;
};

/* The process, by /proc. Sums over the interval, but for the two that say "at the end". */
struct callsig_process_stats {
  size_t size;
  uint64_t minor_faults, major_faults;
  uint64_t voluntary_switches, involuntary_switches;
  double user_time, system_time;
  uint64_t read_bytes, written_bytes; /* of storage; UINT64_MAX where /proc does not tell */
  uint64_t resident_bytes;            /* at the end */
  uint64_t threads;                   /* at the end */
};

/* A process of a monitored program's group (the program, and what it started), or the whole group: by /proc, at the end
 * of the interval; times and bytes transferred are of the interval. UINT64_MAX: not known. */
struct callsig_group_stats {
  size_t size;
  unsigned pid, ppid; /* 0: the group */
  const char *name;   /* the process's; "" of the group */
  unsigned processes; /* 1, of the group how many */
  unsigned threads;
  double user_time, system_time;
  uint64_t resident_bytes;
  uint64_t pss_bytes;                  /* its share of the memory that processes share, and all of the rest */
  uint64_t private_bytes;              /* that no other process shares */
  uint64_t read_bytes, written_bytes;  /* of storage */
  uint64_t received_bytes, sent_bytes; /* by the interfaces of its network namespace, whoever did; loopback not */
};

/* Stages and queues come by pipeline and index, events and actions in order of their first use. -EINVAL: there is no
 * such one. */
CALLSIG_STATS_API size_t callsig_pipeline_stage_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_stage(const struct callsig_pipeline *pipeline, size_t index,
                                             struct callsig_stage_stats *stage);
CALLSIG_STATS_API size_t callsig_pipeline_queue_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_queue(const struct callsig_pipeline *pipeline, size_t index,
                                             struct callsig_queue_stats *queue);
CALLSIG_STATS_API size_t callsig_pipeline_event_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_event(const struct callsig_pipeline *pipeline, size_t index,
                                             struct callsig_event_stats *event);
/* By key and stage; and, after callsig_pipeline_load() and callsig_pipeline_load_all() only, by thread as well. */
CALLSIG_STATS_API size_t callsig_pipeline_counter_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_counter(const struct callsig_pipeline *pipeline, size_t index,
                                               struct callsig_counter_stats *counter);
CALLSIG_STATS_API size_t callsig_pipeline_counter_part_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_counter_part(const struct callsig_pipeline *pipeline, size_t index,
                                                    struct callsig_counter_stats *part);
/* Actions are there after callsig_pipeline_load() and callsig_pipeline_load_all() only. */
CALLSIG_STATS_API size_t callsig_pipeline_action_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_action(const struct callsig_pipeline *pipeline, size_t index,
                                              struct callsig_action_stats *action);
/* Functions are there in a monitor's intervals only: see callsig_monitor_options. */
CALLSIG_STATS_API size_t callsig_pipeline_function_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_function(const struct callsig_pipeline *pipeline, size_t index,
                                                struct callsig_function_stats *function);
/* Processes by number, the group last. There in a monitor's intervals only. */
CALLSIG_STATS_API size_t callsig_pipeline_group_count(const struct callsig_pipeline *pipeline);
CALLSIG_STATS_API int callsig_pipeline_group(const struct callsig_pipeline *pipeline, size_t index,
                                             struct callsig_group_stats *group);
/* -ENODATA where the process was not looked at. */
CALLSIG_STATS_API int callsig_pipeline_process(const struct callsig_pipeline *pipeline,
                                               struct callsig_process_stats *process);

/* Prints the summary, the verdict on each pipeline and what backs it: docs/pipeline-statistics.md. -ENODATA, with one
 * line, when the recording has neither stages nor queues; -EIO when `out` cannot be written. */
CALLSIG_STATS_API int callsig_pipeline_print(const struct callsig_pipeline *pipeline, FILE *out);
/* The same as JSON: docs/json.md. */
CALLSIG_STATS_API int callsig_pipeline_print_json(const struct callsig_pipeline *pipeline, FILE *out);
/* Both again, with what the throughput would be with other settings: "resize=4,queue:frames=64" for a stage that works
 * on 4 tasks at a time and a queue for 64 items, by names or labels. NULL: without. -EINVAL, with one line, for what is
 * no such setting, or of nothing in the recording. */
CALLSIG_STATS_API int callsig_pipeline_print_what_if(const struct callsig_pipeline *pipeline, const char *settings,
                                                     FILE *out);
CALLSIG_STATS_API int callsig_pipeline_print_json_what_if(const struct callsig_pipeline *pipeline, const char *settings,
                                                          FILE *out);
/* Prints a table of the stages that several ranks of a job have, and a line for each stage whose tasks take at least
 * twice as long in one of the recordings as in the others. */
CALLSIG_STATS_API int callsig_pipeline_print_stragglers(const struct callsig_pipeline *const *pipelines, size_t count,
                                                        FILE *out);
/* Prints the table of actions. -ENODATA, with one line, when there are none. */
CALLSIG_STATS_API int callsig_pipeline_print_actions(const struct callsig_pipeline *pipeline, FILE *out);

/*
 * A monitor reads a recording from outside at every interval, while its program runs, and hands out what was added
 * since the reading before, the last, partial interval included: the intervals sum to the lifetime. The program does
 * not know of it. The recording need not exist yet.
 */
struct callsig_monitor;

/* Gets one interval, which is valid during the call; it runs in a thread of the monitor's own, one interval after the
 * other. While it takes its time, neither the program nor the readings wait: intervals queue, and when there are many,
 * those that wait are joined (info.intervals counts them). */
typedef void (*callsig_interval_fn)(const struct callsig_pipeline *interval, void *data);

struct callsig_monitor_options {
  size_t size;
  const char *path;             /* the recording. Copied */
  double interval;              /* seconds, more than 0 */
  const char *database;         /* an SQLite database that gets every interval; NULL: none. Copied */
  callsig_interval_fn callback; /* NULL: none */
  void *data;                   /* handed to it */
  int no_functions;             /* leave functions out: only stages, queues, events and the process are read */
  int children; /* also write what processes record that the program starts, as runs of their own: needs a database */
};

/* Starts a monitor. -EINVAL for an option that makes no sense, -ENOMEM, or the error of opening the database; after a
 * message. */
CALLSIG_STATS_API int callsig_monitor_start(const struct callsig_monitor_options *options,
                                            struct callsig_monitor **monitor);

/* Looks at process `pid` now: for its parent, which calls this when the process has begun, and when it has ended and
 * before it waits for it, so that the intervals have all that it used. Any thread. */
CALLSIG_STATS_API void callsig_monitor_look(struct callsig_monitor *monitor, unsigned pid);

/* Reads the last interval, waits until the callback and the database have it, and frees the monitor; NULL is allowed.
 * Not from a callback. -EIO, after a message, when the database lacks intervals: callsig_monitor_complete() adds them
 * later. -ENOENT, without one, when there was no recording until now. */
CALLSIG_STATS_API int callsig_monitor_stop(struct callsig_monitor *monitor);

/* Adds to the database what the recording at `path` has and the database lacks, as one interval: the whole of a run
 * that nobody monitored, or the rest of one whose monitor was killed. 1 when something was added, 0 when nothing was
 * missing, or a negative errno after a message. */
CALLSIG_STATS_API int callsig_monitor_complete(const char *path, const char *database);

/* Prints the summary of all intervals in a database, of a monitor or of SPDL: means weighted by tasks and items. -EIO
 * after a message when it cannot be read, or `out` not be written. */
CALLSIG_STATS_API int callsig_monitor_print(const char *database, FILE *out);
/* Prints each of its intervals as JSON, run by run: docs/json.md. The same errors. */
CALLSIG_STATS_API int callsig_monitor_print_json(const char *database, FILE *out);
/* The same of one run, by its id, or of the last one (CALLSIG_LAST_RUN); 0: of all. -ENOENT when there is none such. */
#define CALLSIG_LAST_RUN UINT64_MAX
CALLSIG_STATS_API int callsig_monitor_print_run(const char *database, uint64_t run, FILE *out);
CALLSIG_STATS_API int callsig_monitor_print_json_run(const char *database, uint64_t run, FILE *out);

/*
 * A document of pictures: of each process that was added, its pipelines as a diagram with what bounds them, and its
 * stages and queues over time. What a recording and a database tell of the same run is one picture. docs/pictures.md.
 */
struct callsig_plot;

/* -ENOMEM after a message. */
CALLSIG_STATS_API int callsig_plot_new(struct callsig_plot **plot);
/* Frees it; NULL is allowed. */
CALLSIG_STATS_API void callsig_plot_free(struct callsig_plot *plot);

/* Adds what the recording at `path` has, each of its processes; or each run of an SQLite database of callsig or SPDL.
 * Errors as of callsig_pipeline_load() and callsig_monitor_print(); -ENODATA, with one line, for a recording without
 * stages and queues; -EBUSY once it was written. */
CALLSIG_STATS_API int callsig_plot_add_recording(struct callsig_plot *plot, const char *path);
CALLSIG_STATS_API int callsig_plot_add_database(struct callsig_plot *plot, const char *path);
/* Adds one run of it, as callsig_monitor_print_run(). */
CALLSIG_STATS_API int callsig_plot_add_database_run(struct callsig_plot *plot, const char *path, uint64_t run);

/* Writes the document: "svg", or "html", which moves, and needs no network either. -EINVAL for another format, -ENODATA
 * when nothing was added, -EIO when `out` cannot be written; each after a message. */
CALLSIG_STATS_API int callsig_plot_write(struct callsig_plot *plot, const char *format, FILE *out);
/* The same into a file, as callsig_stats_export_file(). */
CALLSIG_STATS_API int callsig_plot_write_file(struct callsig_plot *plot, const char *format, const char *path);

#ifdef __cplusplus
}
#endif

#endif
