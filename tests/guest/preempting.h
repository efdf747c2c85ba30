/*
 * Two threads of a program's own making on stacks of their own, and a handler that gives control from one to the other.
 *
 * For hazards alone: included once, by the file that has their `run()` and main().
 */
#ifndef CALLSIG_TESTS_GUEST_PREEMPTING_H
#define CALLSIG_TESTS_GUEST_PREEMPTING_H

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include "tests/guest/hazard.h"

#define STACK (256 << 10)
#define DEEP  100 /* more than the first segment of a stack's frames has room for */

static ucontext_t contexts[3];
static char stacks[2][STACK];
static volatile int current, done[2];
static volatile long sums[2];

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

/* Has hooks of its own, in the midst of those that the signal has interrupted. */
OWN static int other_than(int self)
{
  CALLED(other_than);
  return 1 - self;
}

static QUIET void handler(int number)
{
  (void)number;
  const int self = current, other = other_than(self);
  if (done[other])
    return;
  current = other;
  swapcontext(&contexts[self], &contexts[other]);
}

static QUIET void block(int how)
{
  sigset_t alarms;
  CHECK(sigemptyset(&alarms) == 0 && sigaddset(&alarms, SIGALRM) == 0 && sigprocmask(how, &alarms, NULL) == 0);
}

#endif
