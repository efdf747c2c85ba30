/* A handler on an alternate stack that leaves it by siglongjmp. */
#include "tests/guest/hazard.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;
static char stack[65536];

OWN static void leave(void)
{
  CALLED(leave);
  siglongjmp(out, 1);
}

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  leave();
}

int main(void)
{
  CALLED(main);
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL);
  for (volatile int i = 0; i < 200; i++)
    if (sigsetjmp(out, 1) == 0)
      raise(SIGUSR1);
  return 0;
}
