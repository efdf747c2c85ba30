/*
 * A thread an item, born and ended by it, beside one thread that works all the time: what is read of them meanwhile
 * must never fall. short_threads SECONDS THREADS-A-SECOND; prints how many items there were, and how many tasks of
 * `steady`.
 */
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct callsig_stage *item_stage, *steady_stage;
static struct callsig_queue *queue;
static int stop; /* atomic */

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void pause_for(double seconds)
{
  struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static void *run_item(void *data)
{
  uint64_t token;
  callsig_task_begin(item_stage, NULL);
  callsig_task_end(item_stage, 0);
  token = callsig_queue_put_begin(queue);
  callsig_queue_put_end(queue, token, 0, 0);
  token = callsig_queue_get_begin(queue);
  callsig_queue_get_end(queue, token, 0, 0);
  return data;
}

static void *run_steady(void *data)
{
  unsigned long *tasks = data;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    callsig_task_begin(steady_stage, NULL);
    callsig_task_end(steady_stage, 0);
    ++*tasks;
    if (*tasks % 1000 == 0)
      pause_for(0.001);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  const struct callsig_stage_options items = {.size = sizeof items, .index = 0, .name = "item"};
  const struct callsig_stage_options steadies = {.size = sizeof steadies, .index = 1, .name = "steady"};
  const struct callsig_queue_options between = {.size = sizeof between, .index = 0, .name = "item"};
  double seconds = argc > 2 ? atof(argv[1]) : 1, rate = argc > 2 ? atof(argv[2]) : 1000, start = now();
  unsigned long count = 0, tasks = 0;
  pthread_t steady, thread;
  if (callsig_stage_open(&items, &item_stage) < 0 || callsig_stage_open(&steadies, &steady_stage) < 0 ||
      callsig_queue_open(&between, &queue) < 0 || pthread_create(&steady, NULL, run_steady, &tasks))
    return 1;
  while (now() < start + seconds) {
    for (unsigned i = 0; i < 8; i++, count++)
      if (pthread_create(&thread, NULL, run_item, NULL) || pthread_join(thread, NULL))
        return 1;
    if ((double)count > rate * (now() - start))
      pause_for(0.001);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  pthread_join(steady, NULL);
  printf("%lu %lu\n", count, tasks);
  return 0;
}
