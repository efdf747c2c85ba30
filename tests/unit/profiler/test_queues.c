/*
 * Queues: levels and occupancy to the tick, by a clock that stands still; threads that use one at once; the bounded
 * queue.
 */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
/* ctest: case _level quick level */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/stage_records.h"

#define ITEMS   200000u
#define THREADS 2u

static uint64_t ticks;

static QUIET uint64_t read_ticks(void *data)
{
  return *(const uint64_t *)data;
}

static QUIET struct callsig_queue *open_queue(const char *name, uint64_t capacity)
{
  const struct callsig_queue_options options = {.size = sizeof options, .name = name, .capacity = capacity};
  struct callsig_queue *queue = NULL;
  CHECK(callsig_queue_open(&options, &queue) == 0 && queue);
  return queue;
}

static QUIET void put(struct callsig_queue *queue, uint64_t wait)
{
  uint64_t token = callsig_queue_put_begin(queue);
  ticks += wait;
  callsig_queue_put_end(queue, token, 1, 0);
}

static QUIET void get(struct callsig_queue *queue, uint64_t wait)
{
  uint64_t token = callsig_queue_get_begin(queue);
  ticks += wait;
  callsig_queue_get_end(queue, token, 1, 0);
}

/* Ticks for which the queue has been empty until now. */
static QUIET uint64_t empty_until_now(const struct fmt_rec_queue *queue)
{
  return queue->level.empty_ticks + ((int64_t)queue->level.items <= 0 ? ticks : 0);
}

static QUIET void test_level(void)
{
  ticks = 1000;
  CHECK(callsig_set_clock(read_ticks, &ticks, 1000) == 0);
  struct callsig_queue *queue = open_queue("level", 3);
  const struct fmt_rec_queue *record = queue_record("0:0:level");
  ticks += 100; /* a period without an event, all empty */
  CHECK(empty_until_now(record) == 100 && record->opened_ticks == 1000 && record->capacity == 3);
  put(queue, 10); /* filled at 1110 */
  ticks += 50;
  put(queue, 0);
  get(queue, 5);
  CHECK(record->level.items == 1 && record->high_water == 2 && empty_until_now(record) == 110);
  ticks += 1000; /* all full */
  CHECK(empty_until_now(record) == 110);
  get(queue, 0); /* empty at 2165 */
  ticks += 35;
  CHECK(empty_until_now(record) == 145);
  get(queue, 0); /* told of before its put */
  ticks += 5;
  CHECK((int64_t)record->level.items == -1 && empty_until_now(record) == 150);
  put(queue, 0);
  ticks += 5;
  CHECK(record->level.items == 0 && record->high_water == 2 && empty_until_now(record) == 155);
  uint64_t token = callsig_queue_put_begin(queue);
  callsig_queue_put_end(queue, token, 0, 1);
  CHECK(record->level.items == 0);
  callsig_queue_set_level(queue, 9);
  ticks += 100;
  CHECK(record->level.items == 9 && record->high_water == 9 && empty_until_now(record) == 155);
  callsig_queue_set_level(queue, 0);
  const struct fmt_rec_queue_use use = use_of("0:0:level");
  CHECK(use.puts == 3 && use.gets == 3 && use.failed == 1 && use.put_total == 10 && use.get_total == 5);
  /* Closed and opened again it goes on, as if the time between were none. */
  ticks += 5;
  callsig_queue_close(queue);
  const uint64_t lasted = ticks - record->opened_ticks;
  ticks += 5000;
  queue = open_queue("level", 3);
  CHECK(record->closed_ticks == 0 && ticks - record->opened_ticks == lasted && empty_until_now(record) == 160);
  put(queue, 1);
  CHECK(empty_until_now(record) == 161);
  callsig_queue_close(queue);
  callsig_queue_close(NULL);
}

/* What tasks and other waits take inside of a wait is none of it, nor is a wait of the task around it. */
static QUIET void test_nested(void)
{
  const struct callsig_stage_options options = {.size = sizeof options, .name = "work"};
  struct callsig_queue *outer = open_queue("outer", 0), *inner = open_queue("inner", 0);
  struct callsig_stage *stage;
  CHECK(callsig_stage_open(&options, &stage) == 0);
  /* A slot that is reserved before the work, for which an item is got. */
  uint64_t token = callsig_queue_put_begin(outer);
  ticks += 10;
  get(inner, 30);
  CHECK(callsig_task_begin(stage, NULL) == 0);
  ticks += 100;
  CHECK(callsig_task_end(stage, 0) == 0);
  ticks += 5;
  callsig_queue_put_end(outer, token, 1, 0);
  CHECK(use_of("0:0:outer").put_total == 15 && use_of("0:0:inner").get_total == 30);
  CHECK(tasks_of("0:0:work").total == 100 && work_of("0:0:work").own == 100);
  /* The same inside of a task. */
  CHECK(callsig_task_begin(stage, NULL) == 0);
  ticks += 1;
  token = callsig_queue_put_begin(outer);
  ticks += 2;
  CHECK(callsig_task_begin(stage, NULL) == 0);
  ticks += 40;
  CHECK(callsig_task_end(stage, 0) == 0);
  ticks += 3;
  callsig_queue_put_end(outer, token, 1, 0);
  ticks += 4;
  CHECK(callsig_task_end(stage, 0) == 0);
  CHECK(use_of("0:0:outer").put_total == 20 && work_of("0:0:work").own == 100 + 40 + 5);
  /* One that begins in a task and ends behind it is one behind it; one that ends in a task began before it. */
  CHECK(callsig_task_begin(stage, NULL) == 0);
  ticks += 7;
  token = callsig_queue_put_begin(outer);
  ticks += 3;
  CHECK(callsig_task_end(stage, 0) == 0);
  ticks += 20;
  callsig_queue_put_end(outer, token, 1, 0);
  CHECK(use_of("0:0:outer").put_total == 40 && work_of("0:0:work").own == 145 + 10);
  token = callsig_queue_put_begin(outer);
  ticks += 6;
  CHECK(callsig_task_begin(stage, NULL) == 0);
  ticks += 4;
  callsig_queue_put_end(outer, token, 1, 0);
  ticks += 50;
  CHECK(callsig_task_end(stage, 0) == 0);
  CHECK(use_of("0:0:outer").put_total == 50 && work_of("0:0:work").own == 155 + 50);
  /* Of more waits at once than are kept the first counts whole. */
  uint64_t tokens[6];
  for (unsigned i = 0; i < 6; i++, ticks++)
    tokens[i] = callsig_queue_put_begin(inner);
  for (unsigned i = 6; i-- > 0;)
    callsig_queue_put_end(inner, tokens[i], 1, 0);
  CHECK(use_of("0:0:inner").put_total == 1 + 1 + 1 + 1 + 5 + 6);
  callsig_queue_close(outer);
  callsig_queue_close(inner);
  CHECK(callsig_stage_close(stage) == 0);
}

/* What is counted while recording is off is the level alone. */
static QUIET void test_disabled(void)
{
  struct callsig_queue *queue = open_queue("off", 0);
  CHECK(callsig_disable() == 0);
  put(queue, 1);
  CHECK(callsig_enable() == 0);
  CHECK(queue_record("0:0:off")->level.items == 1 && use_of("0:0:off").puts == 0);
  get(queue, 1);
  CHECK(queue_record("0:0:off")->level.items == 0 && use_of("0:0:off").gets == 1);
  put(queue, 1);
  pid_t child = fork();
  if (child == 0) {
    get(queue, 1); /* what the parent had put in is in the child's copy, too */
    CHECK(queue_record("0:0:off")->level.items == 0 && use_of("0:0:off").gets == 1);
    unlink(callsig_path());
    _exit(0);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(queue_record("0:0:off")->level.items == 1);
  callsig_queue_close(queue);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static struct callsig_queue *shared;
static struct callsig_fifo *fifo;
static uint64_t taken[THREADS];

/* Hooks around nothing at all: gets are told of before their puts as often as not. */
static QUIET void *put_items(void *data)
{
  for (unsigned i = 0; i < ITEMS; i++)
    callsig_queue_put_end(shared, callsig_queue_put_begin(shared), 0, 0);
  return data;
}

static QUIET void *get_items(void *data)
{
  for (unsigned i = 0; i < ITEMS; i++)
    callsig_queue_get_end(shared, callsig_queue_get_begin(shared), 0, 0);
  return data;
}

static QUIET void test_threads(void)
{
  shared = open_queue("shared", 0);
  pthread_t threads[2 * THREADS];
  for (unsigned i = 0; i < 2 * THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, i % 2 ? get_items : put_items, NULL) == 0);
  for (unsigned i = 0; i < 2 * THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  const struct fmt_rec_queue *record = queue_record("0:0:shared");
  const struct fmt_rec_queue_use use = use_of("0:0:shared");
  CHECK(record->level.items == 0 && use.puts == THREADS * ITEMS && use.gets == THREADS * ITEMS);
  CHECK(record->high_water <= THREADS * ITEMS);
  callsig_queue_close(shared);
  uint64_t elapsed = record->closed_ticks - record->opened_ticks,
           empty = record->level.empty_ticks + record->closed_ticks;
  CHECK(empty <= elapsed + elapsed / 100); /* threads read the clock before they change the level */
}

static QUIET void *take_all(void *data)
{
  struct callsig_fifo_item item;
  uint64_t last = 0;
  while (callsig_fifo_get(fifo, &item, UINT64_MAX) == 0) {
    CHECK(item.item > last && item.data == &taken); /* in order, as this thread sees it */
    last = item.item;
    ++*(uint64_t *)data;
  }
  return data;
}

static QUIET void test_fifo(void)
{
  struct callsig_queue_options options = {.size = sizeof options, .pipeline = 1, .index = 2, .name = "fifo"};
  CHECK(callsig_fifo_open(&options, &fifo) == -EINVAL); /* no capacity */
  options.capacity = 3;
  CHECK(callsig_fifo_open(&options, &fifo) == 0);
  struct callsig_fifo_item item = {&taken, 0}, got;
  CHECK(callsig_fifo_get(fifo, &got, 0) == -ETIMEDOUT && callsig_fifo_get(fifo, &got, 1000000) == -ETIMEDOUT);
  for (item.item = 1; item.item <= 3; item.item++)
    CHECK(callsig_fifo_put(fifo, item, 0) == 0);
  CHECK(callsig_fifo_put(fifo, item, 0) == -ETIMEDOUT && callsig_fifo_put(fifo, item, 1000000) == -ETIMEDOUT);
  CHECK(queue_record("1:2:fifo")->level.items == 3 && use_of("1:2:fifo").failed == 4);
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, take_all, &taken[i]) == 0);
  for (; item.item <= 10000; item.item++)
    CHECK(callsig_fifo_put(fifo, item, UINT64_MAX) == 0);
  callsig_fifo_shut(fifo);
  CHECK(callsig_fifo_put(fifo, item, UINT64_MAX) == -EPIPE);
  for (unsigned i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(taken[0] + taken[1] == 10000 && callsig_fifo_get(fifo, &got, UINT64_MAX) == -EPIPE);
  const struct fmt_rec_queue_use use = use_of("1:2:fifo");
  CHECK(use.puts == 10000 && use.gets == 10000 && queue_record("1:2:fifo")->high_water == 3);
  CHECK(queue_record("1:2:fifo")->level.items == 0 && queue_record("1:2:fifo")->capacity == 3);
  callsig_fifo_close(fifo);
  callsig_fifo_close(NULL);
  CHECK(queue_record("1:2:fifo")->closed_ticks != 0);
}

QUIET int main(int argc, char **argv)
{
  (void)argc;
  if (strcmp(argv[1], "level") == 0) {
    test_level();
    test_nested();
    test_disabled();
  } else {
    test_threads();
    test_fifo();
  }
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
