/* Functions that call each other in a fixed way, for filters: what is left out is not in the profile, and its callees
 * are. */
#include "tests/guest/guest.h"

static int leaf(int x)
{
  KEEP(x);
  return x;
}

static int helper(int x)
{
  return leaf(x) + leaf(x + 1);
}

static int work(int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += helper(i);
  return sum;
}

int main(void)
{
  for (int i = 0; i < 100; i++)
    CHECK(work(10) == 100);
  printf("done\n");
  return 0;
}
