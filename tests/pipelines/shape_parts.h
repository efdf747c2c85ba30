/*
 * What the programs of real_shapes.c and waiting_shapes.c are made of. Each has a stage whose threads are as many as it
 * is asked for.
 */
#ifndef TESTS_PIPELINES_SHAPE_PARTS_H
#define TESTS_PIPELINES_SHAPE_PARTS_H

#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "own_waits.h"

#define SHAPES static __attribute__((unused))

enum { MOST_THREADS = 32 };

struct shape {
  const char *name;
  void (*run)(unsigned threads);
};

static uint32_t came; /* items that came through */

SHAPES double now_ms(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

SHAPES void sleep_ms(double ms)
{
  const struct timespec time = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms * 1e6) % 1000000000L};
  if (ms > 0)
    nanosleep(&time, NULL);
}

SHAPES void passed(void)
{
  __atomic_fetch_add(&came, 1, __ATOMIC_RELAXED);
}

SHAPES struct callsig_stage *open_stage(unsigned index, const char *name, unsigned threads)
{
  const struct callsig_stage_options options = {
      .size = sizeof options, .index = index, .name = name, .concurrency = threads};
  struct callsig_stage *stage;
  if (callsig_stage_open(&options, &stage) < 0)
    exit(3);
  return stage;
}

SHAPES struct callsig_fifo *open_queue(unsigned index, const char *name, unsigned capacity)
{
  const struct callsig_queue_options options = {
      .size = sizeof options, .index = index, .name = name, .capacity = capacity};
  struct callsig_fifo *queue;
  if (callsig_fifo_open(&options, &queue) < 0)
    exit(3);
  return queue;
}

SHAPES void put_item(struct callsig_fifo *queue, uint64_t item)
{
  callsig_fifo_put(queue, (struct callsig_fifo_item){.item = item}, UINT64_MAX);
}

/* An item from 1 on; 0: there are no more. */
SHAPES uint64_t get_item(struct callsig_fifo *queue)
{
  struct callsig_fifo_item item;
  return callsig_fifo_get(queue, &item, UINT64_MAX) == 0 ? item.item : 0;
}

SHAPES void do_task(struct callsig_stage *stage, double ms)
{
  callsig_task_begin(stage, NULL);
  sleep_ms(ms);
  callsig_task_end(stage, 0);
}

struct team {
  pthread_t threads[MOST_THREADS];
  unsigned count;
};

struct member {
  void *(*work)(void *data);
  unsigned number;
};

SHAPES void *run_member(void *data)
{
  const struct own_wait begun = own_wait_begin();
  const struct member member = *(struct member *)data;
  free(data);
  void *result = member.work((void *)(uintptr_t)member.number);
  own_wait_end(&begun, "all");
  return result;
}

SHAPES struct team start_team(unsigned count, void *(*work)(void *data))
{
  struct team team = {.count = count};
  for (unsigned i = 0; i < count; i++) {
    struct member *member = malloc(sizeof *member);
    if (!member)
      exit(3);
    *member = (struct member){work, i};
    if (pthread_create(&team.threads[i], NULL, run_member, member) != 0)
      exit(3);
  }
  return team;
}

SHAPES void join_team(const struct team *team)
{
  for (unsigned i = 0; i < team->count; i++)
    pthread_join(team->threads[i], NULL);
}

/* Runs the shape that the first argument names, with so many threads as the second one says; prints the seconds and the
 * items, and how long all threads of teams waited for a processor, as own_waits.h says. */
SHAPES int run_shape(const struct shape *shapes, int argc, char **argv)
{
  const unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
  if (threads == 0 || threads > MOST_THREADS)
    return 2;
  for (; shapes->name; shapes++)
    if (strcmp(shapes->name, argv[1]) == 0) {
      const double begun = now_ms();
      shapes->run(threads);
      printf("%.4f %u\n", (now_ms() - begun) / 1000, came);
      own_waits_print();
      return 0;
    }
  return 2;
}

#endif
