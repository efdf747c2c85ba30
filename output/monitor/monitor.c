/* The monitor: reads a recording at every interval. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output/monitor/database.h"
#include "output/monitor/monitor_children.h"
#include "output/monitor/monitor_consumer.h"
#include "output/monitor/process_group.h"
#include "output/monitor/process_stats.h"
#include "output/pipeline/function_sums.h"
#include "output/pipeline/thread_parts.h"
#include "output/recording/clock.h"
#include "output/recording/live.h"
#include "output/stats/public_struct.h"
#include "output/text/message.h"

/* Functions are read only while the monitor, the database included, has then used less than this share of a core: all
 * of them are read, which takes time where there are many. */
#define FUNCTIONS_SHARE 0.005

struct callsig_monitor {
  char *path, *database_path;
  double interval;
  bool no_functions;
  struct out_database *database; /* NULL: none */
  struct out_consumer callback, writer;
  callsig_interval_fn call;
  void *data;
  bool told; /* that the database cannot be written */

  pthread_t sampler;
  bool sampling;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  bool stopping, goes_on;
  bool has_process;
  struct out_process process;
  struct out_process_group group;
  struct out_run run; /* its strings stay */

  /* The sampler's own. */
  bool has_children;
  struct out_children children;
  uint64_t run_number; /* of `callsig run`; 0 unknown. Others may read it */
  int file;            /* -1 while there is no recording */
  bool has_run;
  unsigned number;
  uint32_t clock;                 /* the recording's, once it is open */
  struct fmt_rec_clock_point now; /* the clock's last reading */
  bool has_now;
  uint64_t recorded;         /* bytes of the recording in use */
  double begin;              /* CLOCK_MONOTONIC: when it started */
  struct out_snapshot *last; /* reading; NULL: none yet */
  double functions_time;     /* of a processor, that the last reading of functions took */
  int last_error; /* of the last reading; a negative errno, or 0. Others may read it once the sampler ended */
};

static double clock_seconds(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Opens the recording once its header is complete, which the magic says; without a word while it is not. */
static bool find_recording(struct callsig_monitor *monitor)
{
  struct fmt_rec_header header;
  if (monitor->file >= 0)
    return true;
  int file = open(monitor->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return false;
  if (pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header ||
      memcmp(header.magic, FMT_RECORDING_MAGIC, sizeof header.magic) != 0) {
    close(file);
    return false;
  }
  monitor->clock = header.clock;
  monitor->file = file;
  return true;
}

/* Looks at the process. True when it runs. */
static bool look(struct callsig_monitor *monitor, unsigned pid)
{
  pthread_mutex_lock(&monitor->lock);
  if (monitor->has_process && monitor->process.pid != pid) {
    out_process_free(&monitor->process);
    monitor->has_process = false;
  }
  if (!monitor->has_process)
    out_process_init(&monitor->process, pid);
  monitor->has_process = true;
  out_process_read(&monitor->process);
  out_process_group_look(&monitor->group, pid);
  bool alive = monitor->process.alive;
  pthread_mutex_unlock(&monitor->lock);
  return alive;
}

void callsig_monitor_look(struct callsig_monitor *monitor, unsigned pid)
{
  look(monitor, pid);
}

/* The clock as it stood while the process ran, and `before` (NULL: the process alone can read it) the header was read
 * and the process looked at: the end that the recording is given is read later. Afterwards as the recording has it,
 * unless it was later already. */
static const struct fmt_rec_clock_point *settle_clock(struct callsig_monitor *monitor,
                                                      const struct fmt_rec_clock_point *before,
                                                      const struct fmt_rec_header *header, bool alive)
{
  if (alive && !(header->flags & FMT_REC_FINISHED)) {
    monitor->has_now = before != NULL;
    monitor->now = before ? *before : monitor->now;
  } else if (monitor->has_now && header->last.ticks >= monitor->now.ticks)
    monitor->has_now = false;
  return monitor->has_now ? &monitor->now : NULL;
}

/* The first time, the last time, and in between while that is cheap: as much again as the last time is to be left. */
static bool wants_functions(struct callsig_monitor *monitor, bool final)
{
  const struct out_consumer *writer = &monitor->writer;
  double used = clock_seconds(CLOCK_THREAD_CPUTIME_ID) + monitor->functions_time +
                (double)(atomic_load(&writer->cpu_ns) + atomic_load(&writer->functions_ns)) * 1e-9;
  return !monitor->no_functions &&
         (final || monitor->number == 0 || used < FUNCTIONS_SHARE * (clock_seconds(CLOCK_MONOTONIC) - monitor->begin));
}

/* The run as the header has it the first time; how it ended comes later. */
static int read_run(struct callsig_monitor *monitor, struct out_recording *recording)
{
  struct out_run run;
  if (monitor->has_run) {
    pthread_mutex_lock(&monitor->lock);
    monitor->run.has_exit_status = recording->header.exit_status != -1;
    monitor->run.exit_status = recording->header.exit_status;
    pthread_mutex_unlock(&monitor->lock);
    return 0;
  }
  int result = out_run_read(recording, monitor->interval, &run);
  if (result < 0)
    return result;
  pthread_mutex_lock(&monitor->lock);
  monitor->run = run;
  pthread_mutex_unlock(&monitor->lock);
  monitor->has_run = true;
  return 0;
}

/* Reads stages, queues and events. */
static int read_pipeline(struct callsig_monitor *monitor, const struct fmt_rec_clock_point **now,
                         struct callsig_pipeline **pipeline)
{
  struct out_recording recording;
  struct fmt_rec_clock_point before;
  const bool is_read = out_clock_now(monitor->clock, &before);
  int result = out_recording_attach(monitor->file, monitor->path, &recording);
  if (result < 0)
    return result;
  __atomic_store_n(&monitor->run_number, recording.header.run, __ATOMIC_RELAXED);
  monitor->recorded = recording.header.next < recording.size ? recording.header.next : recording.size;
  result = read_run(monitor, &recording);
  if (result == 0) {
    bool alive = look(monitor, recording.header.pid);
    *now = settle_clock(monitor, is_read ? &before : NULL, &recording.header, alive);
    result = out_pipeline_read(&recording, *now, pipeline);
  }
  out_recording_close(&recording);
  return result;
}

/* Reads functions. A reading during which a thread was folded may have its calls twice, or not at all: it is made
 * again, and when there is no quiet moment, the interval has no functions, and the next one those of both. */
static int read_functions(struct callsig_monitor *monitor, const struct fmt_rec_clock_point *now,
                          struct callsig_pipeline *pipeline)
{
  enum { ATTEMPTS = 3 };
  for (unsigned attempt = 1;; attempt++) {
    uint64_t before = out_thread_folds(monitor->file);
    int result = out_function_sums_read(monitor->file, monitor->path, now, pipeline);
    if (result < 0 || before == out_thread_folds(monitor->file))
      return result;
    out_function_sums_drop(pipeline);
    if (attempt == ATTEMPTS)
      return 0;
  }
}

static int take_snapshot(struct callsig_monitor *monitor, bool final, struct out_snapshot **snapshot)
{
  const struct fmt_rec_clock_point *now;
  struct callsig_pipeline *pipeline = NULL;
  int result = read_pipeline(monitor, &now, &pipeline);
  if (result == 0 && monitor->last)
    out_pipeline_follow(monitor->last->pipeline, pipeline);
  if (result == 0 && wants_functions(monitor, final)) {
    const double begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    result = read_functions(monitor, now, pipeline);
    monitor->functions_time = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
  }
  if (result == 0) {
    pthread_mutex_lock(&monitor->lock);
    pipeline->has_process = monitor->process.known;
    pipeline->process = monitor->process.stats;
    result = out_process_group_hand_out(&monitor->group, pipeline) < 0 ? out_stats_no_memory() : 0;
    pthread_mutex_unlock(&monitor->lock);
  }
  if (result == 0) {
    *snapshot = out_snapshot_new(pipeline, ++monitor->number, final && !monitor->goes_on);
    result = *snapshot ? 0 : -ENOMEM;
  }
  if (result < 0)
    callsig_pipeline_free(pipeline);
  return result;
}

bool out_monitor_settle_children(struct callsig_monitor *monitor)
{
  const uint64_t run = __atomic_load_n(&monitor->run_number, __ATOMIC_RELAXED);
  if (run != 0)
    out_children_look(&monitor->children, run);
  return run != 0;
}

/* What cannot be read now is in the next interval. */
static int sample(struct callsig_monitor *monitor, bool final)
{
  struct out_snapshot *snapshot = NULL;
  if (!find_recording(monitor))
    return 0;
  if (monitor->has_children && monitor->run_number && !final)
    out_children_look(&monitor->children, monitor->run_number);
  const int result = take_snapshot(monitor, final, &snapshot);
  if (result < 0)
    return result;
  if (monitor->writer.running)
    out_consumer_push(&monitor->writer, snapshot);
  if (monitor->callback.running)
    out_consumer_push(&monitor->callback, snapshot);
  out_snapshot_release(monitor->last);
  monitor->last = snapshot;
  return 0;
}

/* Waits until `until` of CLOCK_MONOTONIC. False when the monitor is being stopped. */
static bool wait_until(struct callsig_monitor *monitor, double until)
{
  struct timespec time = {.tv_sec = (time_t)until, .tv_nsec = (long)((until - floor(until)) * 1e9)};
  pthread_mutex_lock(&monitor->lock);
  while (!monitor->stopping && pthread_cond_timedwait(&monitor->changed, &monitor->lock, &time) != ETIMEDOUT)
    ;
  bool stopping = monitor->stopping;
  pthread_mutex_unlock(&monitor->lock);
  return !stopping;
}

static void *sample_all(void *data)
{
  struct callsig_monitor *monitor = data;
  monitor->begin = clock_seconds(CLOCK_MONOTONIC);
  double next = monitor->begin + monitor->interval;
  while (wait_until(monitor, next)) {
    sample(monitor, false);
    double now = clock_seconds(CLOCK_MONOTONIC);
    next += monitor->interval * fmax(1, ceil((now - next) / monitor->interval));
  }
  /* Nothing comes after this one: what was short of memory may not be a moment later. */
  monitor->last_error = sample(monitor, true);
  if (monitor->last_error == -ENOMEM)
    monitor->last_error = sample(monitor, true);
  return NULL;
}

static int call_back(const struct callsig_pipeline *const *intervals, size_t count, void *data)
{
  const struct callsig_monitor *monitor = data;
  for (size_t i = 0; i < count; i++)
    monitor->call(intervals[i], monitor->data);
  return 0;
}

static int write_intervals(const struct callsig_pipeline *const *intervals, size_t count, void *data)
{
  struct callsig_monitor *monitor = data;
  pthread_mutex_lock(&monitor->lock);
  struct out_run run = monitor->run;
  pthread_mutex_unlock(&monitor->lock);
  int result = out_database_write(monitor->database, &run, intervals, count);
  if (result < 0 && !monitor->told)
    out_stats_message("%s: an interval cannot be written and will be tried again: %s", monitor->database_path,
                      out_database_error(monitor->database));
  monitor->told |= result < 0;
  return result;
}

/* Starts the three threads, the one that feeds the others last. */
static int start_threads(struct callsig_monitor *monitor)
{
  int result = 0;
  if (monitor->call)
    result = out_consumer_start(&monitor->callback, call_back, monitor, 1);
  if (result == 0 && monitor->database)
    result = out_consumer_start(&monitor->writer, write_intervals, monitor, OUT_CONSUMER_BATCH);
  if (result == 0) {
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    result = -pthread_create(&monitor->sampler, NULL, sample_all, monitor);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    monitor->sampling = result == 0;
  }
  return result < 0 ? out_stats_fail(result, "the monitor cannot be started: %s", strerror(-result)) : 0;
}

static void free_monitor(struct callsig_monitor *monitor)
{
  out_consumer_stop(&monitor->callback);
  out_consumer_stop(&monitor->writer);
  out_database_close(monitor->database);
  base_arena_free(&monitor->run.strings);
  if (monitor->has_process)
    out_process_free(&monitor->process);
  out_process_group_free(&monitor->group);
  out_snapshot_release(monitor->last);
  if (monitor->file >= 0)
    close(monitor->file);
  pthread_mutex_destroy(&monitor->lock);
  pthread_cond_destroy(&monitor->changed);
  free(monitor->path);
  free(monitor->database_path);
  free(monitor);
}

static int leave(struct callsig_monitor *monitor)
{
  monitor->goes_on = true;
  return callsig_monitor_stop(monitor);
}

static struct callsig_monitor *make_monitor(const struct callsig_monitor_options *options)
{
  pthread_condattr_t attributes;
  struct callsig_monitor *monitor = calloc(1, sizeof *monitor);
  if (!monitor)
    return NULL;
  monitor->file = -1;
  monitor->interval = options->interval;
  monitor->no_functions = options->no_functions != 0;
  monitor->call = options->callback;
  monitor->data = options->data;
  pthread_mutex_init(&monitor->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monitor->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  monitor->path = strdup(options->path);
  monitor->database_path = strdup(options->database ? options->database : "");
  out_process_group_init(&monitor->group);
  if (monitor->path && monitor->database_path) {
    static const struct out_child_calls calls = {.start = callsig_monitor_start,
                                                 .stop = callsig_monitor_stop,
                                                 .leave = leave,
                                                 .complete = callsig_monitor_complete};
    struct callsig_monitor_options followed = *options;
    followed.path = monitor->path;
    followed.database = monitor->database_path;
    followed.callback = NULL;
    out_children_init(&monitor->children, &calls, &followed);
    monitor->has_children = options->children != 0;
    return monitor;
  }
  free_monitor(monitor);
  return NULL;
}

int callsig_monitor_start(const struct callsig_monitor_options *given, struct callsig_monitor **started)
{
  struct callsig_monitor_options options;
  *started = NULL;
  int result = out_struct_read("callsig_monitor_options", &options, sizeof options, given);
  if (result < 0)
    return result;
  if (!options.path || !(options.interval > 0) || !(options.interval <= 1e9))
    return out_stats_fail(-EINVAL, "a monitor needs the path of a recording, and an interval of more than 0 seconds");
  if (options.children && !options.database)
    return out_stats_fail(-EINVAL, "a monitor of processes that the program starts needs a database");
  struct callsig_monitor *monitor = make_monitor(&options);
  if (!monitor)
    return out_stats_no_memory();
  result = options.database ? out_database_open(options.database, &monitor->database) : 0;
  if (result == 0)
    result = start_threads(monitor);
  if (result < 0)
    free_monitor(monitor);
  else
    *started = monitor;
  return result;
}

int callsig_monitor_stop(struct callsig_monitor *monitor)
{
  if (!monitor)
    return 0;
  pthread_mutex_lock(&monitor->lock);
  monitor->stopping = true;
  pthread_cond_signal(&monitor->changed);
  pthread_mutex_unlock(&monitor->lock);
  pthread_join(monitor->sampler, NULL);
  out_consumer_stop(&monitor->writer);
  out_consumer_stop(&monitor->callback);
  int result = monitor->number == 0 ? -ENOENT : 0;
  if (monitor->has_children && out_children_stop(&monitor->children, monitor->run_number) < 0)
    result = -EIO;
  if (monitor->last_error < 0)
    result =
        out_stats_fail(-EIO, "%s: its end could not be read%s", monitor->path,
                       monitor->database ? ", and is not in the database: 'callsig stages --db' adds it later" : "");
  if (monitor->writer.undelivered > 0)
    result = out_stats_fail(-EIO, "%s: %zu interval%s could not be written: %s; 'callsig stages --db' adds them later",
                            monitor->database_path, monitor->writer.undelivered,
                            monitor->writer.undelivered == 1 ? "" : "s", out_database_error(monitor->database));
  else if (monitor->writer.failures > 0)
    out_stats_message("%s: %u batch%s failed at first, and all of it was written in the end", monitor->database_path,
                      monitor->writer.failures, monitor->writer.failures == 1 ? "" : "es");
  free_monitor(monitor);
  return result;
}
