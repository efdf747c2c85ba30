/* prctl(PR_SET_TSC, PR_TSC_SIGSEGV): reading the time stamp counter is a fault. */
/* hazard: expect falls: hooks read it, and the kernel kills the program */
#include "tests/guest/hazard.h"

#include <sys/prctl.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int n = work(0);
  CHECK(prctl(PR_SET_TSC, (long)PR_TSC_SIGSEGV, 0L, 0L, 0L) == 0);
  while (n < 100)
    n = work(n);
  prctl(PR_SET_TSC, (long)PR_TSC_ENABLE, 0L, 0L, 0L);
  printf("%d\n", n);
  return 0;
}
