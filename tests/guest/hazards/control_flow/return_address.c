/* What __builtin_return_address and __builtin_frame_address tell is inside of the program. */
#include "tests/guest/hazard.h"

#include <string.h>

extern char __executable_start, etext;

OWN static int inside(void)
{
  CALLED(inside);
  const char *from = (const char *)__builtin_return_address(0);
  const char *frame = (const char *)__builtin_frame_address(0), *here = (const char *)&from;
  return from > &__executable_start && from < &etext && frame > here - 4096 && frame < here + 4096;
}

OWN static int through(void)
{
  CALLED(through);
  const volatile int found = inside();
  return found;
}

int main(void)
{
  CALLED(main);
  printf("%d\n", inside() + through());
  return 0;
}
