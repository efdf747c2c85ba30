/* chroot() into an empty folder while it runs. */
/* hazard: needs root */
#include "tests/guest/hazard.h"

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  char name[] = "root-XXXXXX";
  int n = 0;
  while (n < 100)
    n = work(n);
  CHECK(mkdtemp(name) && chroot(name) == 0 && chdir("/") == 0);
  while (n < 2000)
    n = work(n);
  printf("%d %d\n", n, access("/bin", F_OK));
  return 0;
}
