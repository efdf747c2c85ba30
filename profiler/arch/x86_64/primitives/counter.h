/*
 * Changes words that one thread alone writes, each by a single instruction without a lock: a signal handler of the
 * thread runs before it or after it, so nothing that the handler does to the same word is lost.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_COUNTER_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Adds `value` (modulo 2^64). Anywhere. */
static inline void prof_add(uint64_t *counter, uint64_t value)
{
  __asm__("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

/* Adds `value` and gives what was there before. Anywhere. */
static inline uint64_t prof_take(uint64_t *next, uint64_t value)
{
  __asm__ volatile("xaddq %0, %1" : "+r"(value), "+m"(*next) : : "cc", "memory");
  return value;
}

/* Stores `wanted` if the word is `expected`; false, and nothing is stored, when it is another. Anywhere. */
static inline bool prof_replace(uint64_t *word, uint64_t expected, uint64_t wanted)
{
  uint64_t found = expected;
  __asm__ volatile("cmpxchgq %2, %1" : "+a"(found), "+m"(*word) : "r"(wanted) : "cc", "memory");
  return found == expected;
}

#endif
