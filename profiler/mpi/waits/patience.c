/* Waits for a request, for so long. */
#include "profiler/mpi/waits/patience.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SHORTEST_NS = 10000, LONGEST_NS = 1000000, MOST_AT_ONCE = 20, AWAKE_NS = 200000 };

static int64_t now(void)
{
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int mpi_wait(MPI_Request *request, int seconds, MPI_Status *status)
{
  int64_t left = seconds * INT64_C(1000000000), pause = SHORTEST_NS, before = now();
  const int64_t awake_until = before + AWAKE_NS;
  for (;;) {
    int is_done = 0;
    if (PMPI_Test(request, &is_done, status) != MPI_SUCCESS)
      return -EPIPE;
    if (is_done)
      return 0;
    if (left <= 0)
      return -ETIMEDOUT;
    /* A short way is measured by who waits at its end, and longer ones are not made longer by their steps. */
    if (before < awake_until) {
      syscall(SYS_sched_yield);
      before = now();
      continue;
    }
    const struct timespec sleep = {.tv_nsec = pause};
    syscall(SYS_nanosleep, &sleep, NULL);
    /* A process that was stopped finds that much time has passed, in which it could not look. */
    const int64_t after = now(), passed = after - before;
    left -= passed < MOST_AT_ONCE * pause ? passed : MOST_AT_ONCE * pause;
    before = after;
    if (pause < LONGEST_NS)
      pause *= 2;
  }
}
