/*
 * stage_pairs MILLISECONDS REPETITIONS: times pairs of callsig's own calls beside a pair of function hooks, in turn,
 * and prints a line of JSON: {"function": [ns of a pair, one for each repetition], "action": [...], ...}
 *
 * The pairs: `function`, a call of an instrumented function; `action`, callsig_action_begin() and _end(); `task` and
 * `task_text`, a task without and with a signature's text; `queue`, a put and a get with their four hooks; `event`, one
 * callsig_event(). Linked with libcallsig and recorded while it runs.
 */
#define _GNU_SOURCE
#include <callsig/callsig.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))

static struct callsig_stage *stage;
static struct callsig_queue *queue;
static uint64_t counter;

static __attribute__((noinline)) void function(void)
{
  counter++;
  __asm__ volatile("" : : : "memory");
}

static QUIET void run_function(uint64_t rounds)
{
  for (uint64_t i = 0; i < rounds; i++)
    function();
}

static QUIET void run_action(uint64_t rounds)
{
  for (uint64_t i = 0; i < rounds; i++) {
    (void)callsig_action_begin("action");
    (void)callsig_action_end("action");
  }
}

static QUIET void run_task(uint64_t rounds)
{
  for (uint64_t i = 0; i < rounds; i++) {
    (void)callsig_task_begin(stage, NULL);
    (void)callsig_task_end(stage, 0);
  }
}

static QUIET void run_task_text(uint64_t rounds)
{
  const struct callsig_task_options options = {
      .size = sizeof options, .item = 1, .signature = "format=I420, width=640, height=480"};
  for (uint64_t i = 0; i < rounds; i++) {
    (void)callsig_task_begin(stage, &options);
    (void)callsig_task_end(stage, 0);
  }
}

static QUIET void run_queue(uint64_t rounds)
{
  for (uint64_t i = 0; i < rounds; i++) {
    callsig_queue_put_end(queue, callsig_queue_put_begin(queue), 1, 0);
    callsig_queue_get_end(queue, callsig_queue_get_begin(queue), 1, 0);
  }
}

static QUIET void run_event(uint64_t rounds)
{
  for (uint64_t i = 0; i < rounds; i++)
    (void)callsig_event("event");
}

static const struct {
  const char *name;
  void (*run)(uint64_t rounds);
} pairs[] = {{"function", run_function},   {"action", run_action}, {"task", run_task},
             {"task_text", run_task_text}, {"queue", run_queue},   {"event", run_event}};

enum { PAIRS = sizeof pairs / sizeof *pairs, MAX_REPETITIONS = 1000 };

static QUIET double time_rounds(unsigned pair, uint64_t rounds)
{
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pairs[pair].run(rounds);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
}

/* The number of rounds that take about `ns`. */
static QUIET uint64_t find_rounds(unsigned pair, double ns)
{
  uint64_t rounds = 64;
  double elapsed;
  (void)time_rounds(pair, rounds);
  while ((elapsed = time_rounds(pair, rounds)) < ns / 4)
    rounds *= 2;
  rounds = (uint64_t)((double)rounds * ns / elapsed);
  return rounds ? rounds : 1;
}

static QUIET int open_all(void)
{
  const struct callsig_stage_options stage_options = {.size = sizeof stage_options, .index = 1, .name = "bench"};
  const struct callsig_queue_options queue_options = {.size = sizeof queue_options, .index = 1, .name = "bench"};
  int error = callsig_stage_open(&stage_options, &stage);
  return error ? error : callsig_queue_open(&queue_options, &queue);
}

QUIET int main(int argc, char **argv)
{
  static double ns[PAIRS][MAX_REPETITIONS];
  uint64_t rounds[PAIRS];
  int repetitions = argc == 3 ? atoi(argv[2]) : 0;
  if (repetitions < 1 || repetitions > MAX_REPETITIONS) {
    fprintf(stderr, "usage: stage_pairs MILLISECONDS REPETITIONS, of which 1 to %d\n", MAX_REPETITIONS);
    return 2;
  }
  if (open_all() != 0)
    return 1;
  for (unsigned pair = 0; pair < PAIRS; pair++)
    rounds[pair] = find_rounds(pair, atof(argv[1]) * 1e6);
  for (int i = 0; i < repetitions; i++)
    for (unsigned pair = 0; pair < PAIRS; pair++)
      ns[pair][i] = time_rounds(pair, rounds[pair]) / (double)rounds[pair];
  for (unsigned pair = 0; pair < PAIRS; pair++) {
    printf("%s\"%s\": [", pair ? ", " : "{", pairs[pair].name);
    for (int i = 0; i < repetitions; i++)
      printf("%s%.4f", i ? ", " : "", ns[pair][i]);
    printf("]");
  }
  printf("}\n");
  return 0;
}
