/* The running process's own recording. libcallsig is found at run time: libcallsig-stats works without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "message.h"
#include "object.h"
#include "recording.h"

#if defined(__x86_64__)
#include <x86intrin.h>
static uint64_t read_counter(void)
{
  return __rdtsc();
}
#elif defined(__aarch64__)
static uint64_t read_counter(void)
{
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
#endif

/* libcallsig linked statically without its own dynamic symbols is found by this reference; otherwise it stays NULL. */
extern const char *callsig_path(void) __attribute__((weak));

static const char *own_path(void)
{
  if (callsig_path)
    return callsig_path();
  const char *(*path)(void);
  *(void **)&path = dlsym(RTLD_DEFAULT, "callsig_path");
  return path ? path() : NULL;
}

/* The recording's clock as it stands, so that open calls last until now. False for a clock that only the runtime can
 * read. */
static bool read_now(uint32_t clock, struct cs_rec_clock_point *now)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  now->monotonic_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  now->ticks = clock == CS_CLOCK_TSC ? read_counter() : now->monotonic_ns;
  return clock == CS_CLOCK_TSC || clock == CS_CLOCK_MONOTONIC;
}

int callsig_stats_snapshot(struct callsig_stats **snapshot)
{
  *snapshot = NULL;
  const char *path = own_path();
  if (!path)
    return cs_stats_fail(-ENOENT, "this process is not being recorded: link libcallsig, or start it by callsig run");
  struct cs_recording recording;
  int result = cs_recording_read(path, &recording);
  if (result < 0)
    return result;
  struct cs_rec_clock_point now;
  bool known = read_now(recording.header.clock, &now);
  struct callsig_stats *stats;
  result = cs_stats_new(&stats);
  if (result < 0) {
    cs_recording_close(&recording);
    return result;
  }
  result = cs_stats_take(stats, &recording, known ? &now : NULL);
  if (result < 0)
    callsig_stats_free(stats);
  else
    *snapshot = stats;
  return result;
}
