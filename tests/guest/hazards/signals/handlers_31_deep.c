/* Handlers of 31 real-time signals, each raised in the one before, so that 31 are open at once. */
#include "tests/guest/hazard.h"

#include <signal.h>

static volatile long handled;

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

static QUIET void calls(void)
{
  for (long i = 0; i < 500; i++)
    work(i % 7);
}

static QUIET void handler(int number)
{
  handled += work(number % 5);
  if (number < SIGRTMAX)
    CHECK(raise(number + 1) == 0);
  work(number % 3);
}

int main(void)
{
  CALLED(main);
  for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
    CHECK(signal(number, handler) != SIG_ERR);
  for (int i = 0; i < 50; i++)
    CHECK(raise(SIGRTMIN) == 0);
  printf("%ld\n", handled);
  return 0;
}
