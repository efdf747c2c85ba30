/* What sigaction(), signal() and sigprocmask() tell is what the program set, of every signal. */
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
  int strange = 0;
  for (int number = 1; number < 65; number++) {
    struct sigaction old, set = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_NODEFER};
    if (sigaction(number, NULL, &old) || number == SIGKILL || number == SIGSTOP)
      continue;
    strange += old.sa_handler != SIG_DFL || old.sa_flags;
    CHECK(sigaction(number, &set, NULL) == 0 && sigaction(number, NULL, &old) == 0);
    strange += old.sa_handler != handler || (old.sa_flags & ~0x04000000) != set.sa_flags;
    strange += signal(number, SIG_DFL) != handler;
  }
  sigset_t mask;
  sigprocmask(SIG_SETMASK, NULL, &mask);
  for (int number = 1; number < 65; number++)
    strange += sigismember(&mask, number) == 1;
  raise(0);
  printf("%d strange\n", strange);
  return 0;
}
