/* vfork() whose child calls and ends by _exit: its calls are those of the parent. */
#include "tests/guest/hazard.h"

#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (volatile int i = 0; i < 10; i++) {
    int status;
    pid_t child = vfork();
    if (child == 0)
      _exit(work(i));
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);
  }
  printf("%d\n", sum);
  return 0;
}
