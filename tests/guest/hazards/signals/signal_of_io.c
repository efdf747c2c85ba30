/* SIGIO for each byte that arrives in a pipe (O_ASYNC). */
#include "tests/guest/hazard.h"

#include <signal.h>

static volatile int got;

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  got++;
}

int main(void)
{
  CALLED(main);
  int ends[2];
  char byte;
  CHECK(pipe(ends) == 0);
  signal(SIGIO, handler);
  fcntl(ends[0], F_SETOWN, getpid());
  fcntl(ends[0], F_SETFL, O_ASYNC);
  for (int i = 0; i < 20; i++) {
    CHECK(write(ends[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1);
    CHECK(got == i + 1);
  }
  return 0;
}
