/* Processes that fork, four deep, each of which calls and waits for its own. */
#include "tests/guest/hazard.h"

#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static int grow(int depth)
{
  CALLED(grow);
  int sum = work(depth);
  for (int i = 0; depth && i < 2; i++) {
    pid_t child = fork();
    int status;
    if (child == 0)
      _exit(grow(depth - 1));
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);
  }
  return sum;
}

int main(void)
{
  CALLED(main);
  printf("%d\n", grow(3));
  return 0;
}
