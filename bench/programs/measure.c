/*
 * measure PATTERN MILLISECONDS REPETITIONS: times one call pattern of calls.c and prints a line of JSON:
 *   {"pattern": "chain", "calls": all calls made, warming up included, "ns": [ns per call, one for each repetition]}
 * A repetition lasts about MILLISECONDS; it is kept short so that some of them pass without being preempted. Each
 * thread is bound to a CPU of its own, counted from the last one that the process may use.
 *
 * measure PATTERN rounds N: runs the pattern N times, untimed, for tools that count instead.
 *
 * This file is compiled without instrumentation.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"

enum { MAX_THREADS = 2, MAX_REPETITIONS = 1000 };

struct pattern {
  const char *name;
  uint64_t (*run)(uint64_t rounds);
  uint64_t calls;
  int threads;
};

static const struct pattern patterns[] = {
    {"fib", run_fib, FIB_CALLS, 1},
    {"chain", run_chain, CHAIN_LENGTH, 1},
    {"two_args", run_two_args, CHAIN_LENGTH, 1},
    {"four_sigs", run_four_sigs, CHAIN_LENGTH, 1},
    {"table", run_table, TABLE_SIZE, 1},
    {"two_threads", run_two_args, CHAIN_LENGTH, 2},
    {"random_16", run_random_16, CHAIN_LENGTH, 1},
    {"random_256", run_random_256, CHAIN_LENGTH, 1},
    {"leaf", run_leaf, 1, 1},
    {"frame", run_frame, 1, 1},
    {"pointer", run_pointer, 1, 1},
    {"nulls", run_nulls, 1, 1},
    {"string", run_string, 1, 1},
};

struct worker {
  const struct pattern *pattern;
  pthread_barrier_t *barrier;
  const cpu_set_t *allowed;
  int number;
  uint64_t rounds;
  int repetitions;
  double *elapsed; /* ns, one for each repetition */
};

static volatile uint64_t sink;
static _Atomic uint64_t rounds_run;

uint64_t without_hooks(long n)
{
  return (uint64_t)n;
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double time_rounds(const struct pattern *pattern, uint64_t rounds)
{
  double start = now();
  sink = pattern->run(rounds);
  double elapsed = now() - start;
  rounds_run += rounds;
  return elapsed;
}

/* Binds the calling thread to the CPU that is `number` places before the last allowed one; with fewer CPUs than threads
 * they share the first. */
static void bind_thread(const cpu_set_t *allowed, int number)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
    if (!CPU_ISSET((size_t)cpu, allowed))
      continue;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    if (number-- == 0)
      break;
  }
  (void)sched_setaffinity(0, sizeof one, &one);
}

/* The number of rounds that take about `ns`, once the first has met every function. */
static uint64_t find_rounds(const struct pattern *pattern, double ns)
{
  uint64_t rounds = 1;
  double elapsed;
  (void)time_rounds(pattern, rounds);
  while ((elapsed = time_rounds(pattern, rounds)) < ns / 4)
    rounds *= 2;
  rounds = (uint64_t)((double)rounds * ns / elapsed);
  return rounds ? rounds : 1;
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  bind_thread(worker->allowed, worker->number);
  for (int i = -1; i < worker->repetitions; i++) {
    pthread_barrier_wait(worker->barrier);
    double elapsed = time_rounds(worker->pattern, worker->rounds);
    if (i >= 0)
      worker->elapsed[i] = elapsed;
  }
  return NULL;
}

static int measure(const struct pattern *pattern, double ns, int repetitions)
{
  const int count = pattern->threads;
  static double elapsed[MAX_THREADS][MAX_REPETITIONS];
  pthread_barrier_t barrier;
  cpu_set_t allowed;
  pthread_t threads[MAX_THREADS];
  struct worker workers[MAX_THREADS];
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return 1;
  bind_thread(&allowed, count - 1);
  uint64_t rounds = find_rounds(pattern, ns);

  pthread_barrier_init(&barrier, NULL, (unsigned)count);
  for (int i = 0; i < count; i++) {
    workers[i] = (struct worker){pattern, &barrier, &allowed, i, rounds, repetitions, elapsed[i]};
    if (i + 1 == count)
      work(&workers[i]);
    else if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
      return 1;
  }
  for (int i = 0; i + 1 < count; i++)
    pthread_join(threads[i], NULL);

  uint64_t calls = rounds * pattern->calls;
  printf("{\"pattern\": \"%s\", \"calls\": %" PRIu64 ", \"ns\": [", pattern->name, rounds_run * pattern->calls);
  for (int i = 0; i < repetitions; i++) {
    double sum = 0;
    for (int k = 0; k < pattern->threads; k++)
      sum += elapsed[k][i];
    printf("%s%.4f", i ? ", " : "", sum / pattern->threads / (double)calls);
  }
  printf("]}\n");
  return 0;
}

int main(int argc, char **argv)
{
  if (argc != 4) {
    fprintf(stderr, "usage: measure PATTERN MILLISECONDS REPETITIONS | measure PATTERN rounds N\n");
    return 2;
  }
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    if (strcmp(argv[1], patterns[i].name) != 0)
      continue;
    if (strcmp(argv[2], "rounds") == 0) {
      sink = patterns[i].run(strtoull(argv[3], NULL, 10));
      return 0;
    }
    int repetitions = atoi(argv[3]);
    if (repetitions < 1 || repetitions > MAX_REPETITIONS) {
      fprintf(stderr, "measure: between 1 and %d repetitions, not %s\n", MAX_REPETITIONS, argv[3]);
      return 2;
    }
    return measure(&patterns[i], atof(argv[2]) * 1e6, repetitions);
  }
  fprintf(stderr, "measure: no pattern is called %s\n", argv[1]);
  return 2;
}
