/* quick_exit(), with handlers of at_quick_exit() and without those of atexit(). */
#include "tests/guest/hazard.h"

static void quick(void)
{
  CALLED(quick);
  printf("quick\n");
  fflush(stdout);
}

static void never(void)
{
  CALLED(never);
}

int main(void)
{
  CALLED(main);
  at_quick_exit(quick);
  at_quick_exit(quick);
  atexit(never);
  quick_exit(12);
}
