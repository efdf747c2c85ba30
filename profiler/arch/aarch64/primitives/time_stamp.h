/* The generic timer's virtual count. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_TIME_STAMP_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_TIME_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* Ticks. Anywhere. */
static inline uint64_t prof_time_stamp(void)
{
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

/* Ticks in a second, as far as the processor tells: 0 where only measuring does. Anywhere. */
static inline uint64_t prof_time_stamp_hz(void)
{
  uint64_t hz;
  __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
  return hz;
}

/* Does the counter run at one rate, whatever the processor's frequency and its states of sleep? The architecture says
 * that it does. Anywhere. */
static inline bool prof_time_stamp_invariant(void)
{
  return true;
}

#endif
