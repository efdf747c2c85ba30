/* exit() in a handler of exit(), in a destructor, and threads' and programs' destructors behind it. */
#include "tests/guest/hazard.h"

static void second(void)
{
  CALLED(second);
  exit(21);
}

static void first(void)
{
  CALLED(first);
}

__attribute__((destructor)) static void destructor(void)
{
  CALLED(destructor);
  printf("destructor\n");
}

int main(void)
{
  CALLED(main);
  atexit(first);
  atexit(second);
  return 3;
}
