/*
 * The clocks that ticks may come from.
 */
#include <time.h>

#include "internal.h"

uint64_t cs_clock_tsc(void)
{
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t)high << 32 | low;
}

/* clock_gettime() of libc goes to the vdso and sets errno only for clocks that do not exist. */
static uint64_t read_clock(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t cs_monotonic_ns(void)
{
  return read_clock(CLOCK_MONOTONIC);
}

uint64_t cs_clock_now(void)
{
  switch (cs_process.settings.clock) {
  case CS_CLOCK_TSC:
    return cs_clock_tsc();
  case CS_CLOCK_CPU:
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
  case CS_CLOCK_INJECTED:
    return cs_process.clock(cs_process.clock_data);
  default:
    return read_clock(CLOCK_MONOTONIC);
  }
}

static uint32_t cpuid_edx(uint32_t leaf)
{
  uint32_t eax = leaf, ebx, ecx = 0, edx;
  __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  return leaf == 0x80000000u ? eax : edx;
}

uint32_t cs_clock_wall(void)
{
  const uint32_t power_management = 0x80000007u, invariant_tsc = 1u << 8;
  if (cpuid_edx(0x80000000u) >= power_management && cpuid_edx(power_management) & invariant_tsc)
    return CS_CLOCK_TSC;
  return CS_CLOCK_MONOTONIC;
}
