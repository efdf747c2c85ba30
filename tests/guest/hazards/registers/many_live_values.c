/* Thirty values of each kind that are alive across calls. */
#include "tests/guest/hazard.h"

OWN static double work(double x, long n)
{
  CALLED(work);
  return x + (double)n;
}

int main(void)
{
  CALLED(main);
  double a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, x = 0;
  long k = 1, l = 2, m = 3, n = 4, o = 5, p = 6, q = 7, r = 8;
  for (int i = 0; i < 500; i++) {
    x = work(x, i);
    a += b, b += c * 0.5, c += d * 0.25, d -= e, e += f * 0.125, f -= g * 0.5, g += h, h -= a * 0.01;
    k += l, l ^= m, m += n, n ^= o, o += p, p ^= q, q += r, r ^= k;
  }
  printf("%.10g %.10g %ld %ld\n", a + b + c + d, e + f + g + h + x, k + l + m + n, o + p + q + r);
  return 0;
}
