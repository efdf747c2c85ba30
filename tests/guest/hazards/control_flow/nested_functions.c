/* gcc's nested functions, called through trampolines on the stack, which leave by a non-local goto. */
/* hazard: not clang: nested functions are gcc's own */
/* hazard: flags -Wno-trampolines */
#include "tests/guest/hazard.h"

OWN static int apply(int (*function)(int), int n)
{
  CALLED(apply);
  return function(n);
}

OWN static int outer(int base)
{
  __label__ out;
  CALLED(outer);
  __attribute__((noinline)) int inner(int n)
  {
    CALLED(inner);
    if (n == 7)
      goto out;
    return base + n;
  }
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += apply(inner, i);
  return sum;
out:
  return -1;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += outer(i);
  printf("%d\n", sum);
  return 0;
}
