/* The time stamp counter, and whether it will do as a clock. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_TIME_STAMP_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_TIME_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* Ticks, of a rate that only measuring tells. Anywhere. */
static inline uint64_t prof_time_stamp(void)
{
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t)high << 32 | low;
}

/* Ticks in a second, as far as the processor tells: 0 where only measuring does. Anywhere. */
static inline uint64_t prof_time_stamp_hz(void)
{
  return 0;
}

static inline uint32_t prof_cpuid_edx(uint32_t leaf)
{
  uint32_t eax = leaf, ebx, ecx = 0, edx;
  __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  return leaf == 0x80000000u ? eax : edx;
}

/* Does the counter run at one rate, whatever the processor's frequency and its states of sleep? Anywhere. */
static inline bool prof_time_stamp_invariant(void)
{
  const uint32_t power_management = 0x80000007u, invariant_tsc = 1u << 8;
  return prof_cpuid_edx(0x80000000u) >= power_management && prof_cpuid_edx(power_management) & invariant_tsc;
}

#endif
