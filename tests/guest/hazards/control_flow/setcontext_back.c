/* setcontext() back to a context that getcontext() took, out of several calls: a longjmp by another name. */
#include "tests/guest/hazard.h"

#include <ucontext.h>

static ucontext_t place;
static volatile int times;

OWN static void leave(int n)
{
  CALLED(leave);
  if (n)
    leave(n - 1);
  else
    setcontext(&place);
  __asm__ volatile("");
}

OWN static int after(int n)
{
  CALLED(after);
  return n + 1;
}

OWN static int round_of(int n)
{
  CALLED(round_of);
  times = 0;
  CHECK(getcontext(&place) == 0);
  times = times + 1;
  const int sum = after(n);
  if (times < 20)
    leave(times % 7);
  return sum + after(sum);
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += round_of(i);
  printf("%d %d\n", sum, times);
  return 0;
}
