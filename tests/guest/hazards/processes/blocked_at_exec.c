/* A mask, ignored signals and a pending signal that an exec hands on. argv[1]: this is the second image. */
#include "tests/guest/hazard.h"

#include <signal.h>

OWN static int inherited(int number)
{
  CALLED(inherited);
  struct sigaction action;
  sigset_t mask, pending;
  sigaction(number, NULL, &action);
  sigprocmask(SIG_SETMASK, NULL, &mask);
  sigpending(&pending);
  return (action.sa_handler == SIG_IGN) + 2 * sigismember(&mask, number) + 4 * sigismember(&pending, number);
}

int main(int argc, char **argv)
{
  CALLED(main);
  if (argc > 1) {
    for (int number = 1; number < 32; number++)
      printf("%d ", inherited(number));
    printf("\n");
    return 0;
  }
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  sigaddset(&mask, SIGTERM);
  sigaddset(&mask, SIGSEGV);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_IGN);
  raise(SIGUSR1);
  execl("/proc/self/exe", argv[0], "again", (char *)NULL);
  return 1;
}
