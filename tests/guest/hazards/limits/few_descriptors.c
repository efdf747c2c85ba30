/* RLIMIT_NOFILE of three, with all three open. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <sys/resource.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3}) == 0);
  int n = 0;
  while (n < 1000)
    n = work(n);
  printf("%d %d\n", n, open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
  return 0;
}
