/*
 * What the programs known*.c share: work of which it is known how much it is, its time, and how that is told.
 */
#ifndef CALLSIG_BENCH_KNOWN_H
#define CALLSIG_BENCH_KNOWN_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* `n` steps, each of which waits for the one before; a part of the function that makes them. */
static inline __attribute__((always_inline, no_instrument_function)) uint64_t known_steps(uint64_t x, long n)
{
  for (long i = 0; i < n; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    /* No compiler makes one step of two. */
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

/* Seconds of CPU time of this thread. */
static inline double known_now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Prints, as a line of JSON, the seconds that the calls of each of `count` arguments took: {"8": 0.06, ...}. */
static inline void known_show(int count, const long *arguments, const double *seconds)
{
  for (int i = 0; i < count; i++)
    printf("%s\"%ld\": %.6f", i ? ", " : "{", arguments[i], seconds[i]);
  printf("}\n");
}

#endif
