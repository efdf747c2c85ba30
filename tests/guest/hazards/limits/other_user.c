/* Becomes another user and group while it runs, and may no longer open its recording. */
/* hazard: needs root */
#include "tests/guest/hazard.h"

#include <grp.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int n = 0;
  while (n < 100)
    n = work(n);
  CHECK(setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
  while (n < 2000)
    n = work(n);
  printf("%d %u\n", n, getuid());
  return 0;
}
