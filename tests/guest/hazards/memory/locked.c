/* mlockall() of all that there is and will be, with little that may be locked. */
#include "tests/guest/hazard.h"

#include <sys/resource.h>

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

int main(void)
{
  CALLED(main);
  (void)mlockall(MCL_CURRENT | MCL_FUTURE);
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += work(i % 50);
  (void)munlockall();
  printf("%d\n", sum);
  return 0;
}
