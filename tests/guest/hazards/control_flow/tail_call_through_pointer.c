/* Tail calls through a table of functions, with a register that holds the target. */
#include "tests/guest/hazard.h"

typedef int (*step_fn)(int n, int sum);
static step_fn steps[3];

OWN static int add(int n, int sum)
{
  CALLED(add);
  return n ? steps[n % 3](n - 1, sum + 1) : sum;
}

OWN static int twice(int n, int sum)
{
  CALLED(twice);
  return n ? steps[n % 3](n - 1, sum + 2) : sum;
}

OWN static int none(int n, int sum)
{
  CALLED(none);
  return n ? steps[n % 3](n - 1, sum) : sum;
}

int main(void)
{
  CALLED(main);
  steps[0] = add, steps[1] = twice, steps[2] = none;
  printf("%d\n", steps[0](3000, 0));
  return 0;
}
