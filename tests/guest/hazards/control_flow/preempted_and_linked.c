/* Two threads of the program's own making, which a timer's handler switches by swapcontext(), and of which one ends by
 * its uc_link. */
#include "tests/guest/preempting.h"

#define ROUNDS 1000
#define TIMES  200
#define EACH   130 /* microseconds */

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
