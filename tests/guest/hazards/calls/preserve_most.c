/* clang's conventions preserve_most and preserve_all, whose callers keep values in all registers. */
/* hazard: not after: gcc 12 has no such conventions */
/* hazard: not before: gcc 12 has no such conventions */
#include "tests/guest/hazard.h"

OWN __attribute__((preserve_most)) static void rare(long n)
{
  CALLED(rare);
  KEEP(n);
}

OWN __attribute__((preserve_all)) static void rarer(long n)
{
  CALLED(rarer);
  KEEP(n);
}

OWN static long busy(long a, long b, long c, long d, double e, double f)
{
  CALLED(busy);
  for (int i = 0; i < 10; i++) {
    a += b, b ^= c, c += d, d ^= a, e += f, f *= 1.5;
    rare(a);
    rarer(b);
  }
  return a + b + c + d + (long)(e + f);
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  for (int i = 0; i < 100; i++)
    sum += busy(i, 2, 3, 4, 5, 6);
  printf("%ld\n", sum);
  return 0;
}
