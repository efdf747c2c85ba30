/* Functions in sections of their own, hot and cold parts, aligned to a page. */
#include "tests/guest/hazard.h"

OWN __attribute__((section(".text.odd"), aligned(4096))) static int odd(int n)
{
  CALLED(odd);
  return n * 3;
}

OWN __attribute__((cold)) static int rare(int n)
{
  CALLED(rare);
  return n - 1;
}

OWN static int usual(int n)
{
  CALLED(usual);
  if (__builtin_expect(n % 50 == 0, 0))
    return rare(n) + odd(n);
  return n;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += usual(i);
  printf("%d\n", sum);
  return 0;
}
