/* setjmp and longjmp from three frames down, ten thousand times. */
#include "tests/guest/hazard.h"

#include <setjmp.h>

static jmp_buf out;

OWN static void leave(int n)
{
  CALLED(leave);
  longjmp(out, n + 1);
}

OWN static void middle(int n)
{
  CALLED(middle);
  leave(n);
}

int main(void)
{
  CALLED(main);
  volatile int back = 0;
  for (volatile int i = 0; i < 10000; i++)
    if (setjmp(out) == 0)
      middle(i);
    else
      back++;
  printf("%d\n", back);
  return 0;
}
