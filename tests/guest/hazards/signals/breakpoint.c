/* SIGTRAP of int3, handled by the program. */
#include "tests/guest/hazard.h"

#include <signal.h>

static void handler(int number)
{
  CALLED(handler);
  (void)number;
}

OWN static int broken(int n)
{
  CALLED(broken);
  __asm__ volatile("int3");
  return n + 1;
}

int main(void)
{
  CALLED(main);
  signal(SIGTRAP, handler);
  int n = 0;
  while (n < 50)
    n = broken(n);
  printf("%d\n", n);
  return 0;
}
