/* Computes how long a tick of a recording's clock is, and reads the clock as it stands. */
#define _GNU_SOURCE
#include "output/recording/clock.h"

#include <math.h>
#include <time.h>

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

/* What a rate that was read twice may differ by from one that was measured in a moment. */
#define DIFFERENCE (1.0 / 64)

double out_clock_tick(uint32_t clock, struct out_clock_rate rate, const struct fmt_rec_clock_point *start,
                      const struct fmt_rec_clock_point *last, bool *uncalibrated)
{
  const double shortest = 1e-12, longest = 1e-3, nanosecond = 1e-9;
  *uncalibrated = false;
  if (clock == FMT_CLOCK_INJECTED) {
    *uncalibrated = rate.injected_hz == 0;
    return rate.injected_hz ? 1.0 / (double)rate.injected_hz : nanosecond;
  }
  if (clock != FMT_CLOCK_TSC)
    return nanosecond;
  double ticks = (double)(last->ticks - start->ticks);
  double tick = (double)(last->monotonic_ns - start->monotonic_ns) * nanosecond / ticks;
  const double measured = rate.counter_khz ? 1e-3 / (double)rate.counter_khz : 0;
  *uncalibrated = last->ticks <= start->ticks || !(tick >= shortest && tick <= longest);
  if (measured > 0 && (*uncalibrated || fabs(tick - measured) > DIFFERENCE * measured)) {
    *uncalibrated = false;
    return measured;
  }
  return *uncalibrated ? nanosecond : tick;
}

bool out_clock_now(uint32_t clock, struct fmt_rec_clock_point *now)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  now->monotonic_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  now->ticks = clock == FMT_CLOCK_TSC ? read_counter() : now->monotonic_ns;
  return clock == FMT_CLOCK_TSC || clock == FMT_CLOCK_MONOTONIC;
}
