/* errno is as it was after every call, the first ones included. */
#include "tests/guest/hazard.h"

#include <errno.h>

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

int main(void)
{
  errno = 77;
  CALLED(main);
  int wrong = errno != 77;
  for (int i = 0; i < 200; i++) {
    errno = i;
    work(i);
    wrong += errno != i;
  }
  printf("%d wrong\n", wrong);
  return 0;
}
