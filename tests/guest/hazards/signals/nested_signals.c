/* Handlers that raise a signal of their own, five deep, SA_NODEFER. */
#include "tests/guest/hazard.h"

#include <signal.h>

static volatile int depth;

static void handler(int number)
{
  CALLED(handler);
  if (++depth < 5)
    raise(number);
  depth--;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_NODEFER}, NULL);
  for (int i = 0; i < 50; i++)
    raise(SIGUSR1);
  return 0;
}
