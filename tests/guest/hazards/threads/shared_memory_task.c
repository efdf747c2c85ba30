/* A task by clone(CLONE_VM|CLONE_VFORK) on a stack of its own, which calls while its parent waits. */
#include "tests/guest/hazard.h"

#include <sched.h>
#include <sys/wait.h>

static char stack[65536] __attribute__((aligned(16)));
static volatile int done;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static int task(void *unused)
{
  CALLED(task);
  (void)unused;
  for (int i = 0; i < 10; i++)
    done = work(done);
  return 0;
}

int main(void)
{
  CALLED(main);
  int status;
  for (int i = 0; i < 5; i++) {
    pid_t child = clone(task, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
  }
  printf("%d %d\n", done, status);
  return 0;
}
