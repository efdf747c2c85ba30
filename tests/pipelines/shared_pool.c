/*
 * Two pipelines whose tasks one pool of threads runs: THREADS ITEMS MS_A MS_B [cpu]. Each pipeline has a reader of its
 * own (1 ms) and then a stage that the pool runs, an item of the one and an item of the other in turn as they come.
 * Prints the seconds from the first item to the last.
 */
#include <callsig/callsig.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIPELINES = 2, MOST_THREADS = 64 };

static struct side {
  struct callsig_stage *read, *work;
  struct callsig_fifo *queue;
  double ms;
} sides[PIPELINES];
static unsigned items, threads;
static int computes;

static double seconds(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void serve(double ms, int cpu)
{
  const struct timespec time = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms * 1e6) % 1000000000L};
  const double end = cpu ? seconds(CLOCK_THREAD_CPUTIME_ID) + ms / 1000 : 0;
  if (!cpu)
    nanosleep(&time, NULL);
  while (cpu && seconds(CLOCK_THREAD_CPUTIME_ID) < end)
    ;
}

static void *read_items(void *data)
{
  struct side *side = data;
  for (unsigned i = 1; i <= items; i++) {
    callsig_task_begin(side->read, NULL);
    serve(1, 0);
    callsig_task_end(side->read, 0);
    callsig_fifo_put(side->queue, (struct callsig_fifo_item){.item = i}, UINT64_MAX);
  }
  callsig_fifo_shut(side->queue);
  return NULL;
}

/* Takes from both until both are shut and empty. */
static void *run_pool(void *data)
{
  struct callsig_fifo_item item;
  int ended[PIPELINES] = {0};
  (void)data;
  for (unsigned turn = 0; !ended[0] || !ended[1]; turn++) {
    struct side *side = &sides[turn % PIPELINES];
    if (ended[turn % PIPELINES])
      continue;
    const int got = callsig_fifo_get(side->queue, &item, ended[(turn + 1) % PIPELINES] ? UINT64_MAX : 500000);
    ended[turn % PIPELINES] = got != 0 && got != -ETIMEDOUT;
    if (got != 0)
      continue;
    callsig_task_begin(side->work, NULL);
    serve(side->ms, computes);
    callsig_task_end(side->work, 0);
  }
  return NULL;
}

static void open_side(unsigned number, double ms)
{
  struct side *side = &sides[number];
  const struct callsig_stage_options read = {.size = sizeof read, .pipeline = number, .index = 1, .name = "read"};
  const struct callsig_stage_options work = {
      .size = sizeof work, .pipeline = number, .index = 2, .name = "work", .concurrency = threads};
  const struct callsig_queue_options queue = {
      .size = sizeof queue, .pipeline = number, .index = 1, .name = "read", .capacity = 8};
  side->ms = ms;
  if (callsig_stage_open(&read, &side->read) < 0 || callsig_stage_open(&work, &side->work) < 0 ||
      callsig_fifo_open(&queue, &side->queue) < 0)
    exit(3);
}

int main(int argc, char **argv)
{
  pthread_t readers[PIPELINES], pool[MOST_THREADS];
  if (argc < 5 || (threads = (unsigned)atoi(argv[1])) == 0 || threads > MOST_THREADS)
    return 2;
  items = (unsigned)atoi(argv[2]);
  computes = argc > 5 && strcmp(argv[5], "cpu") == 0;
  for (unsigned i = 0; i < PIPELINES; i++)
    open_side(i, atof(argv[3 + i]));
  const double start = seconds(CLOCK_MONOTONIC);
  for (unsigned i = 0; i < PIPELINES; i++)
    pthread_create(&readers[i], NULL, read_items, &sides[i]);
  for (unsigned i = 0; i < threads; i++)
    pthread_create(&pool[i], NULL, run_pool, NULL);
  for (unsigned i = 0; i < PIPELINES; i++)
    pthread_join(readers[i], NULL);
  for (unsigned i = 0; i < threads; i++)
    pthread_join(pool[i], NULL);
  printf("%.4f\n", seconds(CLOCK_MONOTONIC) - start);
  return 0;
}
