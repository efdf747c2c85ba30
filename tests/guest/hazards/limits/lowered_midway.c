/* Lowers RLIMIT_FSIZE, NOFILE, CORE and AS in the midst of its run to less than it has. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/resource.h>

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

static QUIET void calls(void)
{
  for (long i = 0; i < 500; i++)
    work(i % 7);
}

static QUIET void lower(int what, rlim_t to)
{
  CHECK(setrlimit(what, &(struct rlimit){to, to}) == 0);
}

int main(void)
{
  CALLED(main);
  CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  calls();
  lower(RLIMIT_FSIZE, 4096);
  for (long i = 0; i < 600; i++)
    work(i);
  lower(RLIMIT_NOFILE, 3);
  calls();
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_AS, 1 << 20);
  calls();
  CHECK(write(STDOUT_FILENO, "done\n", 5) == 5);
  return 0;
}
