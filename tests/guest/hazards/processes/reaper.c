/* A subreaper, to which the children of ended children come. */
#include "tests/guest/hazard.h"

#include <sys/prctl.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n;
}

int main(void)
{
  CALLED(main);
  prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
  if (fork() == 0) {
    if (fork() == 0) {
      usleep(1000);
      _exit(work(6));
    }
    _exit(work(5));
  }
  int status, sum = 0, ended = 0;
  while (wait(&status) > 0) {
    sum += WEXITSTATUS(status);
    ended++;
  }
  printf("%d %d\n", sum, ended);
  return 0;
}
