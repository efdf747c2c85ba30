/* Process groups and sessions of its own, with an orphaned group. */
#include "tests/guest/hazard.h"

#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n;
}

int main(void)
{
  CALLED(main);
  int status, sum = 0;
  for (int i = 0; i < 3; i++) {
    if (fork() == 0) {
      int result = i == 0   ? setpgid(0, 0)
                   : i == 1 ? (setsid() == getpid() ? 0 : 1)
                            : (setpgid(0, getppid()) != 99 ? 0 : 1);
      _exit(work(result + 3));
    }
    wait(&status);
    sum += WEXITSTATUS(status);
  }
  printf("%d\n", sum);
  return 0;
}
