/* The control words of SSE and x87, of an unusual kind, and MMX registers. */
#include "tests/guest/hazard.h"

OWN static int work(int n)
{
  CALLED(work);
  KEEP(n);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  unsigned wanted = 0x9fc0, found = 0, before;
  unsigned short x87 = 0x0f7f, x87_found = 0, x87_before;
  int wrong = 0;
  __asm__ volatile("stmxcsr %0\n fnstcw %1" : "=m"(before), "=m"(x87_before));
  for (int i = 0; i < 100; i++) {
    __asm__ volatile("ldmxcsr %0\n fldcw %1" ::"m"(wanted), "m"(x87));
    work(i);
    __asm__ volatile("stmxcsr %0\n fnstcw %1" : "=m"(found), "=m"(x87_found));
    wrong += found != wanted || x87_found != x87;
  }
  __asm__ volatile("ldmxcsr %0\n fldcw %1" ::"m"(before), "m"(x87_before));
  printf("%d wrong\n", wrong);
  return 0;
}
