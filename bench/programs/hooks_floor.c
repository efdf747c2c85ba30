/* Hooks that read the clock and throw it away: the least that a profiler with two times a call can cost. */
#include <x86intrin.h>

#include "hooks.h"

static inline void read_clock(void)
{
  unsigned long long ticks = __rdtsc();
  __asm__ volatile("" : : "r"(ticks));
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
  (void)function;
  (void)call_site;
  read_clock();
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
  (void)function;
  (void)call_site;
  read_clock();
}
