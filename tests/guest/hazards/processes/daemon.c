/* A daemon: fork, setsid, fork again, with its descriptors on /dev/null; the first process waits for it by a pipe. */
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
  int ends[2], result = 0;
  CHECK(pipe(ends) == 0);
  if (fork() == 0) {
    if (daemon(1, 0))
      _exit(1);
    close(ends[0]);
    for (int i = 0; i < 100; i++)
      result = work(result);
    if (write(ends[1], &result, sizeof result) < 0)
      _exit(2);
    exit(0);
  }
  close(ends[1]);
  CHECK(read(ends[0], &result, sizeof result) == sizeof result);
  char byte;
  CHECK(read(ends[0], &byte, 1) == 0);
  wait(NULL);
  usleep(50000);
  printf("%d\n", result);
  return 0;
}
