/* The program steps through its own instructions (the trap flag), hooks included; the handler has none. */
#include "tests/guest/hazard.h"

#include <signal.h>

static volatile unsigned long steps;

static QUIET void handler(int number)
{
  (void)number;
  steps++;
}

OWN static int work(int n)
{
  CALLED(work);
  KEEP(n);
  return n + 1;
}

static QUIET inline void trap_flag(int on)
{
  if (on)
    __asm__ volatile("sub $128, %%rsp; pushf; orl $0x100, (%%rsp); popf; add $128, %%rsp" ::: "memory", "cc");
  else
    __asm__ volatile("sub $128, %%rsp; pushf; andl $~0x100, (%%rsp); popf; add $128, %%rsp" ::: "memory", "cc");
}

int main(void)
{
  CALLED(main);
  signal(SIGTRAP, handler);
  int n = 0;
  for (int round = 0; round < 5; round++) {
    trap_flag(1);
    n = work(n);
    trap_flag(0);
  }
  printf("%d %d\n", n, steps > 20);
  return 0;
}
