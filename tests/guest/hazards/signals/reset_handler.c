/* SA_RESETHAND: the second signal of a kind ends the program. */
#include "tests/guest/hazard.h"

#include <signal.h>

static void handler(int number)
{
  CALLED(handler);
  (void)number;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = handler, .sa_flags = (int)SA_RESETHAND}, NULL);
  raise(SIGTERM);
  printf("once\n");
  fflush(stdout);
  raise(SIGTERM);
  return 0;
}
