/* sigsuspend() with another mask, a signal for each. */
#include "tests/guest/hazard.h"

#include <signal.h>

static volatile int got;

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  got++;
}

int main(void)
{
  CALLED(main);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  signal(SIGUSR2, handler);
  sigprocmask(SIG_SETMASK, &all, NULL);
  for (int i = 0; i < 50; i++) {
    raise(SIGUSR2);
    CHECK(got == i);
    sigsuspend(&none);
    CHECK(got == i + 1);
  }
  return 0;
}
