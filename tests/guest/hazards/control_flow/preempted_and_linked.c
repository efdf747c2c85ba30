/* Two threads of the program's own making, which a timer's handler switches by swapcontext(), and of which one ends by
 * its uc_link. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#define STACK  (256 << 10)
#define ROUNDS 1000
#define TIMES  200
#define DEEP   100 /* more than the first segment of a stack's frames has room for */
#define EACH   130 /* microseconds */

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

/* Where the first ends, the other goes on. */
static QUIET void run(int self)
{
  block(SIG_UNBLOCK);
  for (long i = 0; i < ROUNDS; i++)
    sums[self] += work(i % 64 ? 9 : DEEP);
  block(SIG_BLOCK);
  done[self] = 1;
  current = 1 - self;
  if (done[1 - self])
    setcontext(&contexts[2]);
}

OWN static void run_both(void)
{
  CALLED(run_both);
  for (int i = 0; i < 2; i++) {
    done[i] = 0;
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    contexts[i].uc_link = &contexts[1 - i];
    makecontext(&contexts[i], (void (*)(void))run, 1, i);
  }
  current = 0;
  CHECK(swapcontext(&contexts[2], &contexts[0]) == 0);
}

int main(void)
{
  CALLED(main);
  const struct itimerval often = {{0, EACH}, {0, EACH}}, never = {{0, 0}, {0, 0}};
  block(SIG_BLOCK);
  CHECK(signal(SIGALRM, handler) != SIG_ERR);
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  for (int i = 0; i < TIMES; i++)
    run_both();
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  printf("%ld %ld\n", sums[0], sums[1]);
  return 0;
}
