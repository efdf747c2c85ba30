/* A thread that waits for a processor while the program has all the descriptors that it may have, so that nobody can
 * read how long; then it has some again, and computes in one call, whose processor time is told. */
#include "tests/guest/guest.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MOST        64
#define CALLS       60
#define MILLISECOND 1000000u

static QUIET uint64_t used(void)
{
  struct timespec time;
  CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return (uint64_t)time.tv_sec * 1000 * MILLISECOND + (uint64_t)time.tv_nsec;
}

static QUIET void compute(uint64_t ns)
{
  for (const uint64_t began = used(); used() - began < ns;)
    ;
}

static __attribute__((noinline)) void short_call(void)
{
  compute(5 * MILLISECOND / 2);
  usleep(500);
}

static __attribute__((noinline)) void long_call(void)
{
  compute(250 * MILLISECOND);
  usleep(500);
  compute(50 * MILLISECOND);
}

int main(void)
{
  int taken[MOST], count = 0, found;
  for (int i = 0; i < 10; i++)
    short_call();
  CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){MOST, MOST}) == 0);
  while ((found = open("/dev/null", O_RDONLY)) >= 0)
    taken[count++] = found;
  for (int i = 0; i < CALLS; i++)
    short_call();
  while (count > 0)
    CHECK(close(taken[--count]) == 0);
  const uint64_t before = used();
  long_call();
  printf("time long_call %llu\n", (unsigned long long)(used() - before));
  return 0;
}
