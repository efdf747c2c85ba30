/* Functions that never return: one that calls exit() in a handler of atexit(). */
#include "tests/guest/hazard.h"

static void last(void)
{
  CALLED(last);
  printf("last\n");
  fflush(stdout);
  _exit(9);
}

OWN __attribute__((noreturn)) static void end(int status)
{
  CALLED(end);
  exit(status);
}

int main(void)
{
  CALLED(main);
  atexit(last);
  end(3);
}
