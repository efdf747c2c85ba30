/* Handlers of pthread_atfork, before and after fork() in parent and child. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/wait.h>

static int order;

static void before(void)
{
  CALLED(before);
  order = order * 10 + 1;
}

static void in_parent(void)
{
  CALLED(in_parent);
  order = order * 10 + 2;
}

static void in_child(void)
{
  CALLED(in_child);
  order = order * 10 + 3;
}

int main(void)
{
  CALLED(main);
  pthread_atfork(before, in_parent, in_child);
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    if (child == 0)
      return order % 100;
    int status;
    waitpid(child, &status, 0);
    printf("%d %d\n", order, WEXITSTATUS(status));
    fflush(stdout);
  }
  return 0;
}
