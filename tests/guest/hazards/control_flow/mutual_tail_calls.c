/* Two functions that jump to each other forty thousand times. */
#include "tests/guest/hazard.h"

OWN static int odd(int n);

OWN static int even(int n)
{
  CALLED(even);
  return n ? odd(n - 1) : 1;
}

OWN static int odd(int n)
{
  CALLED(odd);
  return n ? even(n - 1) : 0;
}

int main(void)
{
  CALLED(main);
  printf("%d\n", even(40000));
  return 0;
}
