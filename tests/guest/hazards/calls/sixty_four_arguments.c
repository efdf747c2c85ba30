/* A function of sixty-four arguments, each of which arrives. */
#include "tests/guest/hazard.h"

#define FOUR(x)    x, x + 1, x + 2, x + 3
#define SIXTEEN(x) FOUR(x), FOUR(x + 4), FOUR(x + 8), FOUR(x + 12)

OWN static long many(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9, int b0, int b1,
                     int b2, int b3, int b4, int b5, int b6, int b7, int b8, int b9, int c0, int c1, int c2, int c3,
                     int c4, int c5, int c6, int c7, int c8, int c9, int d0, int d1, int d2, int d3, int d4, int d5,
                     int d6, int d7, int d8, int d9, int e0, int e1, int e2, int e3, int e4, int e5, int e6, int e7,
                     int e8, int e9, int f0, int f1, int f2, int f3, int f4, int f5, int f6, int f7, int f8, int f9,
                     int g0, int g1, int g2, int g3)
{
  CALLED(many);
  const int all[] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1,
                     c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3,
                     e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3};
  long sum = 0;
  for (int i = 0; i < 64; i++)
    sum = sum * 3 + all[i];
  return sum;
}

int main(void)
{
  CALLED(main);
  unsigned long sum = 0;
  for (int i = 0; i < 50; i++)
    sum += (unsigned long)many(SIXTEEN(i), SIXTEEN(i + 16), SIXTEEN(i + 32), SIXTEEN(i + 48));
  printf("%lu\n", sum);
  return 0;
}
