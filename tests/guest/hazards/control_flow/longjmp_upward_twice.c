/* The same jmp_buf is jumped to again and again from different depths. */
#include "tests/guest/hazard.h"

#include <setjmp.h>

static jmp_buf top;

OWN static int dive(int depth)
{
  CALLED(dive);
  if (depth == 0)
    longjmp(top, 1);
  const volatile int below = dive(depth - 1);
  return below + 1;
}

int main(void)
{
  CALLED(main);
  static volatile int round;
  setjmp(top);
  if (++round < 200)
    dive(round % 40);
  printf("%d\n", round);
  return 0;
}
