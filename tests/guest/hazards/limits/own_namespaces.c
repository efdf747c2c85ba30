/* unshare() of its mounts, host name, messages and files; a child in a name space of processes of its own. */
/* hazard: needs root */
#include "tests/guest/hazard.h"

#include <sched.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int status, n = work(0);
  CHECK(unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_FS | CLONE_FILES) == 0);
  n = work(n);
  if (unshare(CLONE_NEWPID) == 0 && fork() == 0)
    _exit(work(10) + (getpid() == 1));
  wait(&status);
  printf("%d %d\n", n, WEXITSTATUS(status));
  return 0;
}
