/* _Complex float, double and _Complex int. */
#include "tests/guest/hazard.h"

#include <complex.h>

OWN static _Complex double square(_Complex double z, _Complex float w)
{
  CALLED(square);
  return z * z * 0.5 + (_Complex double)w;
}

OWN static _Complex float half(_Complex float z)
{
  CALLED(half);
  return z * 0.5f;
}

int main(void)
{
  CALLED(main);
  _Complex double z = 0.1 + 0.2 * (_Complex double)_Complex_I;
  _Complex float w = 1;
  for (int i = 0; i < 100; i++) {
    w = half(w) + 0.25f;
    z = square(z, w * 0.1f);
  }
  printf("%.12g %.12g\n", creal(z), cimag(z));
  return 0;
}
