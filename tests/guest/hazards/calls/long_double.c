/* long double and _Complex long double, passed in memory and returned in the registers of the x87. */
#include "tests/guest/hazard.h"

#include <complex.h>

OWN static long double scale(long double x, long double y)
{
  CALLED(scale);
  return x * y + 1.0L / 3;
}

OWN static _Complex long double turn(_Complex long double z)
{
  CALLED(turn);
  return z * (_Complex long double)_Complex_I + 1.0L;
}

int main(void)
{
  CALLED(main);
  long double x = 1;
  _Complex long double z = 1;
  for (int i = 0; i < 100; i++) {
    x = scale(x, 1.0001L);
    z = turn(z) * 0.9L;
  }
  printf("%.20Lg %.20Lg %.20Lg\n", x, creall(z), cimagl(z));
  return 0;
}
