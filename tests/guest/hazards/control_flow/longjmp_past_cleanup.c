/* longjmp past frames with __attribute__((cleanup)), which do not run. */
#include "tests/guest/hazard.h"

#include <setjmp.h>

static jmp_buf out;
static int cleaned;

OWN static void clean(int *what)
{
  CALLED(clean);
  cleaned += *what;
}

OWN static void guarded(int leave)
{
  CALLED(guarded);
  __attribute__((cleanup(clean))) int one = 1;
  KEEP(one);
  if (leave)
    longjmp(out, 1);
}

int main(void)
{
  CALLED(main);
  for (volatile int i = 0; i < 100; i++)
    if (setjmp(out) == 0)
      guarded(i % 2);
  printf("%d\n", cleaned);
  return 0;
}
