/* RLIMIT_NPROC of none: neither threads nor children can be had, where the user is not root. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  CHECK(setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0}) == 0);
  int n = 0;
  while (n < 1000)
    n = work(n);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  if (child > 0)
    wait(NULL);
  printf("%d %d\n", n, child > 0);
  return 0;
}
