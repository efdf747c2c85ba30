/* The base of %gs, which the program uses for itself (arch_prctl). */
#include "tests/guest/hazard.h"

#include <asm/prctl.h>

static long room[8] = {42, 43};

OWN static long work(long n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  CHECK(syscall(SYS_arch_prctl, (long)ARCH_SET_GS, room) == 0);
  for (int i = 0; i < 100; i++) {
    long value;
    work(i);
    __asm__ volatile("mov %%gs:8, %0" : "=r"(value));
    sum += value;
  }
  printf("%ld\n", sum);
  return 0;
}
