/* An indirect function (ifunc) whose resolver has no hooks. */
#include "tests/guest/hazard.h"

OWN static int slow(int n)
{
  CALLED(slow);
  return n + 1;
}

static QUIET int (*choose(void))(int)
{
  return slow;
}

int chosen(int n) __attribute__((ifunc("choose")));

int main(void)
{
  CALLED(main);
  int n = 0;
  for (int i = 0; i < 100; i++)
    n = chosen(n);
  printf("%d\n", n);
  return 0;
}
