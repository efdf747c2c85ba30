/* A processor that is shared with a program that never rests: short calls with a caller, whose processor time is told,
 * and how long they took.
 * argv[1]: "plain"; "threads", which keep it from one another too; "signals", whose handler makes calls; "stacks",
 * between which control goes to and fro. */
#define _GNU_SOURCE
#include "tests/guest/guest.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define ROUNDS     15
#define CALLS      10000 /* a round */
#define WORK       300   /* of a call: a fraction of a microsecond */
#define STACK_SIZE (64 << 10)

static ucontext_t contexts[3]; /* of main(), and of two others */
static char stacks[2][STACK_SIZE];

static __attribute__((noinline)) void leaf(uint32_t x)
{
  for (unsigned i = 0; i < WORK; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  KEEP(x);
}

static __attribute__((noinline)) void parent(void)
{
  for (uint32_t i = 1; i <= CALLS; i++)
    leaf(i);
}

/* All that is done, in calls that are long enough to be timed each. */
static __attribute__((noinline)) void rounds(void)
{
  for (unsigned i = 0; i < ROUNDS; i++)
    parent();
}

static void *thread(void *data)
{
  rounds();
  return data;
}

static void handler(int signal)
{
  leaf((uint32_t)signal);
}

static QUIET void by_turns(int self)
{
  for (unsigned i = 0; i < ROUNDS; i++) {
    parent();
    CHECK(swapcontext(&contexts[self], &contexts[3 - self]) == 0);
  }
}

static QUIET void on_stacks(void)
{
  for (int i = 1; i <= 2; i++) {
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i - 1];
    contexts[i].uc_stack.ss_size = STACK_SIZE;
    contexts[i].uc_link = &contexts[0];
    makecontext(&contexts[i], (void (*)(void))by_turns, 1, i);
  }
  CHECK(swapcontext(&contexts[0], &contexts[1]) == 0);
}

static QUIET void with_signals(void)
{
  const struct itimerval often = {{0, 3000}, {0, 3000}}, never = {{0, 0}, {0, 0}};
  CHECK(signal(SIGALRM, handler) != SIG_ERR);
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  rounds();
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static QUIET void in_threads(void)
{
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    CHECK(pthread_create(&threads[i], NULL, thread, NULL) == 0);
  for (int i = 0; i < 2; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

static QUIET double seconds(clockid_t clock)
{
  struct timespec time;
  CHECK(clock_gettime(clock, &time) == 0);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A child that takes its share of the one processor that this process may use. */
static QUIET pid_t share_processor(void)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
      __asm__ volatile("");
  }
  return child;
}

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 2);
  pid_t child = share_processor();
  double used = seconds(CLOCK_PROCESS_CPUTIME_ID), began = seconds(CLOCK_MONOTONIC);
  if (!strcmp(argv[1], "threads"))
    in_threads();
  else if (!strcmp(argv[1], "signals"))
    with_signals();
  else if (!strcmp(argv[1], "stacks"))
    on_stacks();
  else
    rounds();
  printf("time cpu %.0f\n", (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e9);
  printf("time wall %.0f\n", (seconds(CLOCK_MONOTONIC) - began) * 1e9);
  CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
  return 0;
}
