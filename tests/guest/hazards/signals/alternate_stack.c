/* Signals whose handler runs on an alternate stack. */
#include "tests/guest/hazard.h"

#include <signal.h>

static char stack[65536];

OWN static void inner(void)
{
  CALLED(inner);
}

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  inner();
}

int main(void)
{
  CALLED(main);
  CHECK(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) == 0);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL);
  for (int i = 0; i < 100; i++) {
    inner();
    raise(SIGUSR1);
  }
  return 0;
}
