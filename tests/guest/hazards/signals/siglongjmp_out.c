/* A handler that leaves by siglongjmp out of five frames, a thousand times. */
#include "tests/guest/hazard.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  siglongjmp(out, 1);
}

OWN static int down(int n)
{
  CALLED(down);
  if (n == 0)
    raise(SIGUSR1);
  const volatile int below = n ? down(n - 1) : 0;
  return below + 1;
}

int main(void)
{
  CALLED(main);
  signal(SIGUSR1, handler);
  for (volatile int i = 0; i < 1000; i++)
    if (sigsetjmp(out, 1) == 0)
      down(4);
  return 0;
}
