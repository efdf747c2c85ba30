/*
 * What a thread waited for a processor before its first instruction, since another one kept it from that, is none of
 * what its tasks waited.
 */
/* ctest: skips */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "tests/support/check.h"
#include "tests/support/one_processor.h"

#define QUIET        __attribute__((no_instrument_function, noinline))
#define SKIPPED      77
#define LATE_NS      50000000u /* how long they are kept from running */
#define MOST_THREADS 4000
#define ITEMS        2
#define SLEEP_NS     2000000

static struct callsig_stage *stage;
static volatile int has_begun;
static uint64_t first_ns, own_ns; /* what threads had waited at their first instruction, and from there to their last */

static QUIET uint64_t waited(void)
{
  unsigned long ran, ready = 0;
  FILE *file = fopen("/proc/thread-self/schedstat", "re");
  if (!file || fscanf(file, "%lu %lu", &ran, &ready) != 2 || ran == 0) {
    fprintf(stderr, "skipped: the kernel does not tell how long threads waited for a processor\n");
    _exit(SKIPPED);
  }
  fclose(file);
  return ready;
}

static QUIET uint64_t now(void)
{
  struct timespec time;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static QUIET void run_as(int policy)
{
  const struct sched_param none = {.sched_priority = 0};
  CHECK(sched_setscheduler(0, policy, &none) == 0);
}

static void work(void)
{
  for (int i = 0; i < ITEMS; i++) {
    callsig_task_begin(stage, NULL);
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    callsig_task_end(stage, 0);
  }
}

static QUIET void *begin(void *data)
{
  run_as(SCHED_OTHER);
  has_begun = 1;
  const uint64_t before = waited();
  first_ns += before;
  work();
  own_ns += waited() - before;
  return data;
}

/* A thread that runs only where nobody else on its processor wants to, as the one that makes it then does. */
static QUIET pthread_t start_idle(void)
{
  pthread_t thread;
  run_as(SCHED_IDLE);
  CHECK(pthread_create(&thread, NULL, begin, NULL) == 0);
  run_as(SCHED_OTHER);
  return thread;
}

static QUIET uint64_t recorded(void)
{
  uint64_t sum = 0;
  for (uint64_t at = prof_process.header->first_thread; at; at = ((const struct fmt_rec_thread *)at)->next)
    for (uint64_t of = ((const struct fmt_rec_thread *)at)->first_tasks; of;
         of = ((const struct fmt_rec_tasks *)of)->next)
      sum += ((const struct fmt_rec_task_work *)((const struct fmt_rec_tasks *)of)->work)->queued_ns;
  return sum;
}

int main(void)
{
  const struct callsig_stage_options options = {.size = sizeof options, .index = 1, .name = "late", .concurrency = 1};
  CHECK(callsig_stage_open(&options, &stage) == 0);
  stay_on_this_processor();
  unsigned threads = 0;
  /* On a busy machine, where others keep this thread from running too, each of them waits a little only. */
  for (; first_ns < LATE_NS && threads < MOST_THREADS; threads++) {
    has_begun = 0;
    const pthread_t thread = start_idle();
    for (const uint64_t until = now() + LATE_NS; !has_begun && now() < until;)
      ;
    CHECK(pthread_join(thread, NULL) == 0);
  }
  CHECK(first_ns >= LATE_NS);
  /* Others on the machine may have a thread wait between its own reading and what is recorded. */
  const uint64_t told = recorded(), slack = first_ns / 4;
  if (told > own_ns + slack || told + slack < own_ns)
    fprintf(stderr, "%u threads waited %lu ns before and %lu in their tasks; recorded %lu\n", threads, first_ns, own_ns,
            told);
  CHECK(told <= own_ns + slack && told + slack >= own_ns);
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
