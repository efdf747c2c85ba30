/* A program with functions of its own that have the names of the C library's: fork, sigaction, signal, sigprocmask. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static volatile int forks, actions;

QUIET pid_t fork(void)
{
  forks++;
  return (pid_t)syscall(SYS_fork);
}

QUIET int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
  actions++;
  return (int)syscall(SYS_rt_sigprocmask, (long)how, set, before, 8L);
}

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < 5; i++) {
    int status;
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    const pid_t child = fork();
    if (child == 0)
      _exit(work(i));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    sum += WEXITSTATUS(status) + work(3);
  }
  printf("%d %d %d\n", sum, forks, actions);
  return 0;
}
