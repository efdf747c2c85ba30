/*
 * A program with a timeline that is known: two stages in threads of their own, joined by a queue; calls inside calls;
 * 300 actions of different names; an event for each item; spans that overlap.
 */
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 40, KEYS = 300 };

static struct callsig_fifo *fifo;
static struct callsig_stage *stages[2];
static volatile unsigned sink;

static void __attribute__((noinline)) spin(unsigned rounds)
{
  for (unsigned i = 0; i < rounds * 50; i++)
    sink = sink + i;
}

static void __attribute__((noinline)) twice(unsigned rounds)
{
  spin(rounds);
  spin(rounds + 1);
}

static void *produce(void *data)
{
  for (unsigned i = 1; i <= ITEMS; i++) {
    struct callsig_task_options options = {.size = sizeof options, .item = i, .signature = i % 2 ? "odd=1" : "odd=0"};
    if (callsig_task_begin(stages[0], &options) == 0) {
      twice(i % 4);
      callsig_event("made");
      callsig_task_end(stages[0], 0);
    }
    callsig_fifo_put(fifo, (struct callsig_fifo_item){data, i}, UINT64_MAX);
  }
  callsig_fifo_shut(fifo);
  return NULL;
}

static void *consume(void *data)
{
  struct callsig_fifo_item item;
  while (callsig_fifo_get(fifo, &item, UINT64_MAX) == 0) {
    struct callsig_task_options options = {.size = sizeof options, .item = item.item};
    if (callsig_task_begin(stages[1], &options) == 0) {
      spin((unsigned)item.item % 3);
      callsig_task_end(stages[1], item.item % 10 == 0);
    }
  }
  return data;
}

static void many_keys(void)
{
  for (unsigned i = 0; i < KEYS; i++) {
    char name[16];
    snprintf(name, sizeof name, "key%u", i);
    callsig_action_begin(name);
    spin(1);
    callsig_action_end(name);
  }
}

static int open_all(void)
{
  struct callsig_stage_options stage = {.size = sizeof stage, .name = "make"};
  struct callsig_queue_options queue = {.size = sizeof queue, .name = "make", .capacity = 4};
  int error = callsig_stage_open(&stage, &stages[0]);
  stage.index = 1;
  stage.name = "use";
  if (error == 0)
    error = callsig_stage_open(&stage, &stages[1]);
  return error ? error : callsig_fifo_open(&queue, &fifo);
}

int main(int argc, char **argv)
{
  pthread_t threads[2];
  (void)argv;
  if (open_all() < 0)
    return 1;
  uint64_t outer = callsig_span_begin(), inner = callsig_span_begin();
  pthread_create(&threads[0], NULL, produce, NULL);
  pthread_create(&threads[1], NULL, consume, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  callsig_span_end("first", outer);
  many_keys();
  callsig_span_end("second", inner);
  callsig_fifo_close(fifo);
  if (argc > 1)
    abort();
  return 0;
}
