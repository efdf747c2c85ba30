/* Two threads of the program's own making: a timer's handler gives control from one stack to the other by
 * swapcontext(), wherever they are, hooks included. */
#include "tests/guest/preempting.h"

#define ROUNDS 30000
#define EACH   300 /* microseconds */

static QUIET void run(int self)
{
  block(SIG_UNBLOCK);
  for (long i = 0; i < ROUNDS; i++)
    sums[self] += work(i % 64 ? 9 : DEEP);
  block(SIG_BLOCK);
  done[self] = 1;
  if (done[1 - self])
    setcontext(&contexts[2]);
  current = 1 - self;
  setcontext(&contexts[1 - self]);
}

int main(void)
{
  CALLED(main);
  const struct itimerval often = {{0, EACH}, {0, EACH}}, never = {{0, 0}, {0, 0}};
  block(SIG_BLOCK);
  CHECK(signal(SIGALRM, handler) != SIG_ERR);
  for (int i = 0; i < 2; i++) {
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    makecontext(&contexts[i], (void (*)(void))run, 1, i);
  }
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  CHECK(swapcontext(&contexts[2], &contexts[0]) == 0);
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  printf("%ld %ld\n", sums[0], sums[1]);
  return 0;
}
