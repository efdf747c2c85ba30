/* __builtin_setjmp and __builtin_longjmp, which no library sees. */
#include "tests/guest/hazard.h"

static void *out[5];

OWN static void leave(void)
{
  CALLED(leave);
  __builtin_longjmp(out, 1);
}

OWN static int round_trip(void)
{
  CALLED(round_trip);
  if (__builtin_setjmp(out))
    return 1;
  leave();
  return 0;
}

int main(void)
{
  CALLED(main);
  int back = 0;
  for (int i = 0; i < 1000; i++)
    back += round_trip();
  printf("%d\n", back);
  return 0;
}
