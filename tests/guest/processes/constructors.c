/* Instrumented constructors, destructors, exit handlers and destructors of thread-specific data of the main thread. */
#include "tests/guest/guest.h"

COUNTER(early);
COUNTER(late);

static int work(int x)
{
  KEEP(x);
  return x;
}

__attribute__((constructor(101))) static void early(void)
{
  HIT(early);
  work(1);
}

__attribute__((constructor)) static void late(void)
{
  HIT(late);
  work(2);
}

__attribute__((destructor(101))) static void at_end(void)
{
  work(3);
}

static void at_exit(void)
{
  work(4);
}

int main(void)
{
  CHECK(count_of_early == 1 && count_of_late == 1);
  CHECK(atexit(at_exit) == 0);
  work(5);
  printf("count early 1\ncount late 1\ncount at_end 1\ncount at_exit 1\ncount work 5\ncount main 1\n");
  return 0;
}
