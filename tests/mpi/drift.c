/* A library that is loaded before libc: the monotonic clock goes faster by a fiftieth. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_MONOTONIC) {
    const long long now = (time->tv_sec * 1000000000LL + time->tv_nsec) / 50 * 51;
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
  }
  return (int)result;
}
