/* A limit on processor time whose signal the program handles, once a second. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <sys/resource.h>

static volatile sig_atomic_t told;

OWN static int count(int n)
{
  CALLED(count);
  return n + 1;
}

static void on_limit(int number)
{
  CALLED(on_limit);
  told = count(number) - number;
}

int main(void)
{
  CALLED(main);
  CHECK(signal(SIGXCPU, on_limit) != SIG_ERR);
  struct rlimit limit = {1, 60};
  CHECK(setrlimit(RLIMIT_CPU, &limit) == 0);
  for (long n = 0; !told; n++)
    __asm__ volatile("" : "+r"(n));
  printf("%d\n", told);
  return 0;
}
