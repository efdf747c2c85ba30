/* Reads through NULL, from which its handler leaves by siglongjmp. */
#include "tests/guest/hazard.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;

static void handler(int number)
{
  CALLED(handler);
  siglongjmp(out, number);
}

OWN static int read_from(const volatile int *at)
{
  CALLED(read_from);
  return *at;
}

int main(void)
{
  CALLED(main);
  signal(SIGSEGV, handler);
  volatile int faults = 0;
  for (volatile int i = 0; i < 100; i++) {
    if (sigsetjmp(out, 1) == 0)
      read_from(NULL);
    else
      faults++;
  }
  printf("%d faults\n", faults);
  return 0;
}
