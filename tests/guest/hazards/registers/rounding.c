/* The rounding modes and exceptions of SSE and x87 are as they were. */
#include "tests/guest/hazard.h"

#include <fenv.h>

OWN static long double third(long double x)
{
  CALLED(third);
  return x / 3;
}

int main(void)
{
  CALLED(main);
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  int wrong = 0;
  for (int i = 0; i < 200; i++) {
    fesetround(modes[i % 4]);
    feclearexcept(FE_ALL_EXCEPT);
    const volatile long double result = third(i);
    wrong += fegetround() != modes[i % 4] || (i && i % 3 && !fetestexcept(FE_INEXACT));
    (void)result;
  }
  fesetround(FE_TONEAREST);
  printf("%d wrong\n", wrong);
  return 0;
}
