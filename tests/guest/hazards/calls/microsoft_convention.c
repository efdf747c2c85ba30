/* Functions of Microsoft's calling convention (ms_abi), which keeps other registers. */
#include "tests/guest/hazard.h"

OWN __attribute__((ms_abi)) static long windows(long a, double b, long c, long d, long e, double f)
{
  CALLED(windows);
  return a + (long)b + c * 2 + d * 3 + e * 5 + (long)f;
}

OWN __attribute__((ms_abi)) static long outer(long n, long (*inner)(long))
{
  CALLED(outer);
  return windows(n, 2.5, n, n, n, 7.5) + inner(n);
}

OWN static long unix_like(long n)
{
  CALLED(unix_like);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  for (int i = 0; i < 200; i++)
    sum += outer(i, unix_like);
  printf("%ld\n", sum);
  return 0;
}
