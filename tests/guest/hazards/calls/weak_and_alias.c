/* A function with two names, a weak one that is missing, and one that is defined twice. */
#include "tests/guest/hazard.h"

OWN int named(int n)
{
  CALLED(named);
  return n + 1;
}

int other(int n) __attribute__((alias("named")));
__attribute__((weak)) int missing(int n);

OWN __attribute__((weak)) int weak_one(int n)
{
  CALLED(weak_one);
  return n + 2;
}

int main(void)
{
  CALLED(main);
  int n = 0;
  int (*volatile absent)(int) = missing;
  for (int i = 0; i < 100; i++)
    n = weak_one(absent ? absent(n) : i % 2 ? named(n) : other(n));
  printf("%d\n", n);
  return 0;
}
