/* Seven numbers on the x87's stack while a function is called. */
#include "tests/guest/hazard.h"

OWN static long work(long n)
{
  CALLED(work);
  KEEP(n);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  double sum = 0;
  for (int i = 0; i < 100; i++) {
    double got = 0;
    __asm__ volatile("fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1");
    work(i);
    __asm__ volatile("faddp\n faddp\n faddp\n faddp\n faddp\n faddp\n fstpl %0" : "=m"(got));
    sum += got;
  }
  printf("%g\n", sum);
  return 0;
}
