/* PR_SET_PDEATHSIG: a child that its parent's end kills, in the middle of calls. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

OWN static void sleep_for_ever(int ready)
{
  CALLED(sleep_for_ever);
  if (write(ready, "x", 1) != 1)
    _exit(9);
  for (;;)
    pause();
}

int main(void)
{
  CALLED(main);
  int ends[2], status;
  char byte;
  prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
  CHECK(pipe(ends) == 0);
  if (fork() == 0) {
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, (long)SIGTERM, 0L, 0L, 0L);
      sleep_for_ever(ends[1]);
    }
    _exit(read(ends[0], &byte, 1) != 1);
  }
  int sum = 0;
  while (wait(&status) > 0)
    sum += WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
  printf("%d\n", sum);
  return 0;
}
