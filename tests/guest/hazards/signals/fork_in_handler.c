/* A handler that forks out of whatever was interrupted; the child returns from it, calls on, and ends. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/wait.h>

#define FORKS 8

static volatile int forked, is_child, sum;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static void handler(int number)
{
  CALLED(handler);
  int status;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    is_child = 1;
    work(number);
    return;
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  sum += WEXITSTATUS(status);
  forked++;
}

OWN static int around(int n)
{
  CALLED(around);
  raise(SIGUSR1);
  if (is_child)
    _exit(work(n));
  return work(n);
}

int main(void)
{
  CALLED(main);
  CHECK(signal(SIGUSR1, handler) != SIG_ERR);
  for (int i = 0; i < FORKS; i++)
    around(i);
  printf("%d %d\n", forked, sum);
  return 0;
}
