/* abort() with a handler of SIGABRT that returns. */
#include "tests/guest/hazard.h"

#include <signal.h>

static void handler(int number)
{
  CALLED(handler);
  (void)number;
}

OWN static void work(void)
{
  CALLED(work);
  abort();
}

int main(void)
{
  CALLED(main);
  signal(SIGABRT, handler);
  work();
  return 0;
}
