/* The alternate stack is another one for each signal, and off for every third. */
#include "tests/guest/hazard.h"

#include <signal.h>

static char stacks[4][32768];

static void handler(int number)
{
  CALLED(handler);
  (void)number;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL);
  for (int i = 0; i < 120; i++) {
    stack_t stack = {.ss_sp = stacks[i % 4], .ss_size = sizeof stacks[0], .ss_flags = i % 3 ? 0 : SS_DISABLE};
    CHECK(sigaltstack(&stack, NULL) == 0);
    raise(SIGUSR1);
  }
  return 0;
}
