/*
 * A pipeline with what SPDL's tools look at: a thread for each item, that loads it and puts it into a queue; a sink
 * that gets items from there; and collections of garbage, told as two events each. spdl_shape SECONDS.
 *
 * It measures all of that by itself, within callsig's calls and around them, since it may lose its processor between
 * any two instructions, and prints both as JSON: what the tools say of callsig's database is to lie between.
 */
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SPACE = 4, MOST_COLLECTIONS = 1000, FAILS_EACH = 10 };

static struct callsig_stage *load_stage, *sink_stage;
static struct callsig_queue *queue;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned held, closed;

/* Seconds: at least and at most. */
struct span {
  double least, most;
};

/* Under `mutex`, but for the last two, which are the sink's alone. */
static struct {
  unsigned long tasks, failures, puts, gets;
  struct span task_time, put_time, get_time;
  unsigned long sink_tasks;
  struct span sink_time;
} own;

static struct {
  struct span start, stop;
} collections[MOST_COLLECTIONS];
static unsigned collection_count;

static double now(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void pause_for(double seconds)
{
  struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static void add(struct span *sum, double least, double most)
{
  sum->least += least;
  sum->most += most;
}

static void put(uint64_t item)
{
  const double before = now(CLOCK_MONOTONIC);
  uint64_t token = callsig_queue_put_begin(queue);
  const double start = now(CLOCK_MONOTONIC);
  pthread_mutex_lock(&mutex);
  while (held == SPACE)
    pthread_cond_wait(&changed, &mutex);
  const double end = now(CLOCK_MONOTONIC);
  callsig_queue_put_end(queue, token, item, 0);
  held++;
  add(&own.put_time, end - start, now(CLOCK_MONOTONIC) - before);
  own.puts++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

/* 0 when all has been taken. */
static int get(void)
{
  const double before = now(CLOCK_MONOTONIC);
  uint64_t token = callsig_queue_get_begin(queue);
  const double start = now(CLOCK_MONOTONIC);
  pthread_mutex_lock(&mutex);
  while (held == 0 && !closed)
    pthread_cond_wait(&changed, &mutex);
  const int got = held > 0;
  const double end = now(CLOCK_MONOTONIC);
  callsig_queue_get_end(queue, token, 0, !got);
  if (got) {
    held--;
    add(&own.get_time, end - start, now(CLOCK_MONOTONIC) - before);
    own.gets++;
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return got;
}

static void *load(void *data)
{
  const uint64_t item = (uint64_t)(uintptr_t)data;
  const int fails = item % FAILS_EACH == 0;
  const double before = now(CLOCK_MONOTONIC);
  callsig_task_begin(load_stage, NULL);
  const double start = now(CLOCK_MONOTONIC);
  pause_for(0.004 + 0.001 * (double)(item % 7));
  const double took = now(CLOCK_MONOTONIC) - start;
  callsig_task_end(load_stage, fails);
  const double whole = now(CLOCK_MONOTONIC) - before;
  pthread_mutex_lock(&mutex);
  own.tasks++;
  own.failures += (unsigned long)fails;
  if (!fails)
    add(&own.task_time, took, whole);
  pthread_mutex_unlock(&mutex);
  if (!fails)
    put(item);
  return NULL;
}

static void *run_sink(void *data)
{
  while (get()) {
    const double before = now(CLOCK_MONOTONIC);
    callsig_task_begin(sink_stage, NULL);
    const double start = now(CLOCK_MONOTONIC);
    pause_for(0.003);
    const double took = now(CLOCK_MONOTONIC) - start;
    callsig_task_end(sink_stage, 0);
    add(&own.sink_time, took, now(CLOCK_MONOTONIC) - before);
    own.sink_tasks++;
  }
  return data;
}

static struct span tell_event(const char *name)
{
  struct span when = {.least = now(CLOCK_REALTIME)};
  callsig_event(name);
  when.most = now(CLOCK_REALTIME);
  return when;
}

static void collect(void)
{
  if (collection_count == MOST_COLLECTIONS)
    return;
  collections[collection_count].start = tell_event("gc_start");
  pause_for(0.070);
  collections[collection_count++].stop = tell_event("gc_stop");
}

static void tell_mean(const char *name, struct span sum, unsigned long count)
{
  printf(", \"%s\": [%.9f, %.9f]", name, sum.least / (double)count, sum.most / (double)count);
}

static void tell(struct span elapsed)
{
  printf("{\"load\": {\"num_tasks\": %lu, \"num_failures\": %lu", own.tasks, own.failures);
  tell_mean("ave_time", own.task_time, own.tasks - own.failures);
  printf("},\n \"sink\": {\"num_tasks\": %lu, \"num_failures\": 0", own.sink_tasks);
  tell_mean("ave_time", own.sink_time, own.sink_tasks);
  printf("},\n \"queue\": {\"num_items\": %lu, \"qps\": [%.9f, %.9f]", own.gets, (double)own.gets / elapsed.most,
         (double)own.gets / elapsed.least);
  tell_mean("ave_put_time", own.put_time, own.puts);
  tell_mean("ave_get_time", own.get_time, own.gets);
  printf("},\n \"collections\": [");
  for (unsigned i = 0; i < collection_count; i++)
    printf("%s[[%.6f, %.6f], [%.6f, %.6f]]", i ? ", " : "", collections[i].start.least, collections[i].start.most,
           collections[i].stop.least, collections[i].stop.most);
  printf("]}\n");
}

int main(int argc, char **argv)
{
  const struct callsig_stage_options loads = {.size = sizeof loads, .index = 1, .name = "load", .concurrency = 8};
  const struct callsig_stage_options sinks = {.size = sizeof sinks, .index = 2, .name = "sink"};
  const struct callsig_queue_options between = {.size = sizeof between, .index = 1, .name = "load", .capacity = SPACE};
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  pthread_t sink, threads[8];
  const double before = now(CLOCK_MONOTONIC);
  if (callsig_stage_open(&loads, &load_stage) < 0 || callsig_stage_open(&sinks, &sink_stage) < 0 ||
      callsig_queue_open(&between, &queue) < 0 || pthread_create(&sink, NULL, run_sink, NULL))
    return 1;
  const double opened = now(CLOCK_MONOTONIC);
  double collected = opened;
  for (uint64_t item = 1; now(CLOCK_MONOTONIC) < opened + seconds;) {
    for (unsigned i = 0; i < 8; i++)
      if (pthread_create(&threads[i], NULL, load, (void *)(uintptr_t)item++))
        return 1;
    for (unsigned i = 0; i < 8; i++)
      pthread_join(threads[i], NULL);
    if (now(CLOCK_MONOTONIC) > collected + 0.4) {
      collect();
      collected = now(CLOCK_MONOTONIC);
    }
  }
  pthread_mutex_lock(&mutex);
  closed = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(sink, NULL);
  const double least = now(CLOCK_MONOTONIC) - opened;
  callsig_queue_close(queue);
  tell((struct span){least, now(CLOCK_MONOTONIC) - before});
  return 0;
}
