/* Chains of calls that are jumps. */
#include "tests/guest/hazard.h"

OWN static int third(int n)
{
  CALLED(third);
  return n + 3;
}

OWN static int second(int n)
{
  CALLED(second);
  return third(n + 2);
}

OWN static int first(int n)
{
  CALLED(first);
  return second(n + 1);
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += first(i);
  printf("%d\n", sum);
  return 0;
}
