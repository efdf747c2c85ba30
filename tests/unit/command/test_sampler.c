/* What a sample stands for, where the process that takes the samples computes as well, and waits for its processor; and
 * where it comes late to rings that are full of something else. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/beside/sampler.h"

/* Of the program, and of the thread in this process: so long is how much is wrong by half where that counts, too. */
#define USED_NS 300000000
#define RUNS    5u

static uint64_t used(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Two processes wake each other for as long, which makes a record of the rings each time. */
static int take_turns(void)
{
  const uint64_t end = used(CLOCK_PROCESS_CPUTIME_ID) + USED_NS / 2;
  int there[2], back[2];
  char byte = 0;
  if (pipe(there) != 0 || pipe(back) != 0)
    return 1;
  const pid_t other = fork();
  close(there[other != 0 ? 0 : 1]);
  close(back[other != 0 ? 1 : 0]);
  if (other == 0) {
    while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) {
    }
    _exit(0);
  }
  while (used(CLOCK_PROCESS_CPUTIME_ID) < end && write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1) {
  }
  close(there[1]);
  return waitpid(other, NULL, 0) != other;
}

static void *compute(void *clock)
{
  const uint64_t end = used(*(clockid_t *)clock) + USED_NS;
  while (used(*(clockid_t *)clock) < end)
    for (volatile unsigned i = 0; i < 100000; i++) {
    }
  return NULL;
}

/* The program: this one once more. */
static pid_t start(const char *what)
{
  const pid_t child = fork();
  if (child != 0)
    return child;
  execl("/proc/self/exe", "program", what, (char *)NULL);
  _exit(127);
}

static uint64_t never(void *data)
{
  (void)data;
  return UINT64_MAX;
}

/* Asked at each look of the sampler, which is late at the next. */
static uint64_t never_and_late(void *data)
{
  (void)data;
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  return UINT64_MAX;
}

/* One processor for all, so that what samples has to wait while sampling pauses: so much longer it pauses. */
static void share_a_processor(void)
{
  cpu_set_t allowed, one;
  size_t first = 0;
  assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  while (!CPU_ISSET(first, &allowed))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

/* Runs and samples the program once. True when all of its samples stand for what it used, with what they took, and
 * those of this process for none of it. */
static bool stands_for_once(const struct cli_sampled_recording *recording, const char *what)
{
  struct cli_sampler *sampler;
  struct cli_samples samples;
  struct rusage usage;
  siginfo_t information;
  pthread_t thread;
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  int status;
  if (cli_sampler_open(&sampler, recording, NULL) != 0)
    skip();
  const pid_t child = start(what);
  assert_true(child > 0);
  assert_int_equal(pthread_create(&thread, NULL, compute, &clock), 0);
  assert_int_equal(setpriority(PRIO_PROCESS, 0, 10), 0);
  assert_int_equal(cli_sampler_start(sampler, child), 0);
  assert_int_equal(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  cli_sampler_stop(sampler);
  assert_int_equal(wait4(child, &status, 0, &usage), child);
  assert_int_equal(status, 0);
  const uint64_t user = (uint64_t)usage.ru_utime.tv_sec * 1000000000u + (uint64_t)usage.ru_utime.tv_usec * 1000u;
  const uint64_t kernel = (uint64_t)usage.ru_stime.tv_sec * 1000000000u + (uint64_t)usage.ru_stime.tv_usec * 1000u;
  assert_int_equal(cli_sampler_close(sampler, &(struct cli_used){.user = user, .system = kernel}, &samples), 0);
  const double all = (double)(samples.total + samples.others) * (double)(samples.period_ns + samples.price_ns);
  const bool is_perf = samples.method == FMT_SAMPLES_PERF;
  const double expected = (double)(samples.in_kernel ? user + kernel : user);
  cli_samples_free(&samples);
  if (!is_perf)
    skip();
  const bool stands = all >= 0.93 * expected && all <= 1.07 * expected + (double)kernel;
  if (!stands)
    print_error("samples stand for %.4f seconds of %.4f and %.4f\n", all * 1e-9, (double)user * 1e-9,
                (double)kernel * 1e-9);
  return stands;
}

/* A virtual machine whose host takes its processor away in between charges for it at random: one of some runs has to
 * do. */
static void stands_for(const struct cli_sampled_recording *recording, const char *what)
{
  for (unsigned run = 0; run < RUNS; run++)
    if (stands_for_once(recording, what))
      return;
  fail_msg("in none of %u runs", RUNS);
}

static void of_a_run_beside(void **state)
{
  (void)state;
  stands_for(NULL, "compute");
}

static void of_the_profiled_run(void **state)
{
  (void)state;
  stands_for(&(struct cli_sampled_recording){.until = never}, "compute");
}

/* Of the records that had no room most are switches, which stand for no time. */
static void of_a_run_with_switches(void **state)
{
  (void)state;
  stands_for(&(struct cli_sampled_recording){.until = never_and_late}, "take turns");
}

int main(int count, char **arguments)
{
  if (count > 1 && strcmp(arguments[1], "compute") == 0) {
    clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
    compute(&clock);
    return 0;
  }
  if (count > 1)
    return take_turns();
  share_a_processor();
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_run_beside), cmocka_unit_test(of_the_profiled_run),
                                     cmocka_unit_test(of_a_run_with_switches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
