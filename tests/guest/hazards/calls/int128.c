/* __int128 as arguments and results, one of them half in registers. */
#include "tests/guest/hazard.h"

OWN static __int128 multiply(__int128 a, long b, __int128 c, __int128 d)
{
  CALLED(multiply);
  return a * b + c - d;
}

int main(void)
{
  CALLED(main);
  __int128 x = 1;
  for (int i = 1; i < 200; i++)
    x = multiply(x, 3, (__int128)i << 70, i);
  printf("%lx %lx\n", (long)(x >> 64), (long)x);
  return 0;
}
