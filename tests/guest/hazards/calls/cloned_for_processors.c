/* A function of which the compiler makes one for each processor (target_clones), and the loader chooses. */
/* hazard: not clang: clang 14 makes none in C */
#include "tests/guest/hazard.h"

#define ITEMS 64

OWN static int each(int n)
{
  CALLED(each);
  return n + 1;
}

__attribute__((target_clones("avx2", "sse4.2", "default"), noinline, no_instrument_function)) int
sum_of(const int *items)
{
  int sum = 0;
  for (int i = 0; i < ITEMS; i++)
    sum += items[i];
  return each(sum);
}

int main(void)
{
  CALLED(main);
  int items[ITEMS], sum = 0;
  for (int i = 0; i < ITEMS; i++)
    items[i] = each(i);
  for (int i = 0; i < 100; i++)
    sum += sum_of(items);
  printf("%d\n", sum);
  return 0;
}
