/* SIGKILL that the program sends to itself in the middle of calls. */
#include "tests/guest/hazard.h"

#include <signal.h>

OWN static int work(int n)
{
  CALLED(work);
  if (n == 50)
    kill(getpid(), SIGKILL);
  const volatile int below = work(n + 1);
  return below;
}

int main(void)
{
  CALLED(main);
  printf("never ends\n");
  fflush(stdout);
  return work(0);
}
