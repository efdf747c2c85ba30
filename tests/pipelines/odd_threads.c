/*
 * Stages whose threads are not simply there: main puts items into a queue, "decode" sleeps, "write" takes what comes.
 *
 * - event_loop: one thread has four tasks of decode open at a time, of sixteen that it may have
 * - an_item: each item of decode has a thread of its own, at most four at a time
 * - helper: two threads do decode, which was opened for four, and main does a task of it now and then
 * - renewed N: two threads do decode, which was opened for four, and after N items each has another one take its place
 *
 * Prints how long the threads of decode waited for a processor, as own_waits.h says.
 */
#include <callsig/callsig.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "own_waits.h"

static struct callsig_stage *decode, *write_out;
static struct callsig_fifo *items, *done;
static sem_t places;
static unsigned until_renewed = UINT32_MAX;
static int is_over;

static void sleep_for(long ms)
{
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static struct callsig_stage *open_stage(unsigned index, const char *name, unsigned concurrency)
{
  const struct callsig_stage_options options = {
      .size = sizeof options, .index = index, .name = name, .concurrency = concurrency};
  struct callsig_stage *stage;
  if (callsig_stage_open(&options, &stage) < 0)
    exit(3);
  return stage;
}

static struct callsig_fifo *open_queue(unsigned index, const char *name)
{
  const struct callsig_queue_options options = {.size = sizeof options, .index = index, .name = name, .capacity = 8};
  struct callsig_fifo *queue;
  if (callsig_fifo_open(&options, &queue) < 0)
    exit(3);
  return queue;
}

static void run_task(void)
{
  callsig_task_begin(decode, NULL);
  sleep_for(10);
  callsig_task_end(decode, 0);
  callsig_fifo_put(done, (struct callsig_fifo_item){.item = 1}, UINT64_MAX);
}

static void *write_items(void *data)
{
  struct callsig_fifo_item item;
  while (callsig_fifo_get(done, &item, UINT64_MAX) == 0) {
    callsig_task_begin(write_out, NULL);
    sleep_for(1);
    callsig_task_end(write_out, 0);
  }
  return data;
}

static void *decode_items(void *data)
{
  const struct own_wait begun = own_wait_begin();
  struct callsig_fifo_item item;
  for (unsigned i = 0; i < until_renewed && callsig_fifo_get(items, &item, UINT64_MAX) == 0; i++)
    run_task();
  own_wait_end(&begun, "decode");
  return data;
}

/* The program's own threads, of which those that work are the children. */
static void *renew(void *data)
{
  pthread_t thread;
  do {
    pthread_create(&thread, NULL, decode_items, NULL);
    pthread_join(thread, NULL);
  } while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED));
  return data;
}

static void *decode_one(void *data)
{
  const struct own_wait begun = own_wait_begin();
  run_task();
  own_wait_end(&begun, "decode");
  sem_post(&places);
  return data;
}

static void *spawn(void *data)
{
  struct callsig_fifo_item item;
  pthread_t thread;
  sem_init(&places, 0, 4);
  while (sem_wait(&places) == 0 && callsig_fifo_get(items, &item, UINT64_MAX) == 0) {
    pthread_create(&thread, NULL, decode_one, NULL);
    pthread_detach(thread);
  }
  for (unsigned i = 0; i < 3; i++)
    sem_wait(&places);
  return data;
}

static void run_event_loop(void)
{
  enum { TASKS = 100, AT_ONCE = 4 };
  const struct own_wait begun = own_wait_begin();
  decode = open_stage(1, "decode", 16);
  for (unsigned i = 0; i < TASKS + AT_ONCE - 1; i++) {
    if (i < TASKS)
      callsig_task_begin(decode, NULL);
    sleep_for(5);
    if (i >= AT_ONCE - 1)
      callsig_task_end(decode, 0);
  }
  own_wait_end(&begun, "decode");
}

/* With so many threads that run `work`; main feeds them, and helps now and then if it is asked to. */
static void run_pipeline(void *(*work)(void *data), unsigned count, unsigned num_items, unsigned help)
{
  pthread_t threads[2], writer;
  decode = open_stage(1, "decode", 4);
  write_out = open_stage(2, "write", 1);
  items = open_queue(0, "source");
  done = open_queue(1, "decode");
  pthread_create(&writer, NULL, write_items, NULL);
  for (unsigned i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (unsigned i = 1; i <= num_items; i++) {
    callsig_fifo_put(items, (struct callsig_fifo_item){.item = i}, UINT64_MAX);
    if (help && i % help == help / 2)
      run_task();
  }
  __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  callsig_fifo_shut(items);
  for (unsigned i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  callsig_fifo_shut(done);
  pthread_join(writer, NULL);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "event_loop") == 0)
    run_event_loop();
  else if (strcmp(mode, "an_item") == 0)
    run_pipeline(spawn, 1, 300, 0);
  else if (strcmp(mode, "helper") == 0)
    run_pipeline(decode_items, 2, 200, 100);
  else if (strcmp(mode, "renewed") == 0 && argc > 2) {
    until_renewed = (unsigned)strtoul(argv[2], NULL, 10);
    run_pipeline(renew, 2, 200, 0);
  } else
    return 2;
  own_waits_print();
  return 0;
}
