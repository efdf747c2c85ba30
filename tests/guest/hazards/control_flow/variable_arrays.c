/* Variable length arrays in recursion. */
#include "tests/guest/hazard.h"

OWN static int squares(int n)
{
  CALLED(squares);
  int room[n + 1];
  for (int i = 0; i <= n; i++)
    room[i] = i;
  const volatile int below = n ? squares(n - 1) : 0;
  return below + room[n];
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 60; i++)
    sum += squares(i);
  printf("%d\n", sum);
  return 0;
}
