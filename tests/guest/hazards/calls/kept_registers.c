/* A function that changes few registers: gcc's callers know which (-fipa-ra), and keep values in all the others. */
#include "tests/guest/hazard.h"

static uint64_t *calls_of_small;

__attribute__((noinline, noclone)) static long small(long n)
{
  ++*calls_of_small; /* CALLED() would change most of them */
  return n ^ 1;
}

OWN static long busy(long a, long b)
{
  CALLED(busy);
  long c = a * 3, d = b * 5, e = a + 7, f = b - 9, g = a ^ b, h = a | 64, i = b & 255;
  for (int round = 0; round < 10; round++) {
    a += small(b);
    b += c, c ^= d, d += e, e ^= f, f += g, g ^= h, h += i, i ^= a;
  }
  return a + b + c + d + e + f + g + h + i;
}

int main(void)
{
  CALLED(main);
  calls_of_small = hazard_calls("small");
  long sum = 0;
  for (int i = 0; i < 100; i++)
    sum += busy(i, 2);
  printf("%ld\n", sum);
  return 0;
}
