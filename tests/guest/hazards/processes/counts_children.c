/* A handler of SIGCHLD that counts exactly as many as there are children. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/wait.h>

static volatile int ended;

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0)
    ended++;
}

int main(void)
{
  CALLED(main);
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = handler}, NULL);
  sigprocmask(SIG_BLOCK, &set, &old);
  for (int i = 0; i < 10; i++) {
    if (fork() == 0) {
      _exit(0);
    }
    while (ended <= i)
      sigsuspend(&old);
  }
  printf("%d\n", ended);
  return 0;
}
