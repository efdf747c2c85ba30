/* A program that lives in a time of its own: its clock_gettime(), gettimeofday() and time() are not the C library's,
 * and may not be called before it is ready. */
#include "tests/guest/hazard.h"

#include <sys/time.h>
#include <time.h>

static volatile int is_ready, asked;
static volatile long now = 1000;

QUIET int clock_gettime(clockid_t clock, struct timespec *time)
{
  (void)clock;
  if (!is_ready)
    abort();
  asked++;
  now = now + 3600;
  *time = (struct timespec){.tv_sec = now};
  return 0;
}

QUIET time_t time(time_t *to)
{
  struct timespec read;
  clock_gettime(CLOCK_REALTIME, &read);
  if (to)
    *to = read.tv_sec;
  return read.tv_sec;
}

OWN static long work(long n)
{
  CALLED(work);
  return n + (n % 100 == 0 ? time(NULL) % 2 : 0) + 1;
}

int main(void)
{
  CALLED(main);
  is_ready = 1;
  long n = 0;
  for (int i = 0; i < 2000; i++)
    n = work(n);
  printf("%d %ld\n", asked, now);
  return 0;
}
