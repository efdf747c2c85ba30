/*
 * Changes words that one thread alone writes, so that a signal handler of the thread changes them before or after but
 * not in between: nothing that the handler does to the same word is lost. No instruction of every processor of this
 * kind does that at once, so each is a load and a store of which the second fails after an interruption, and is tried
 * again.
 */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_COUNTER_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Adds `value` (modulo 2^64). Anywhere. */
static inline void prof_add(uint64_t *counter, uint64_t value)
{
  __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}

/* Adds `value` and gives what was there before. Anywhere. */
static inline uint64_t prof_take(uint64_t *next, uint64_t value)
{
  return __atomic_fetch_add(next, value, __ATOMIC_RELAXED);
}

/* Stores `wanted` if the word is `expected`; false, and nothing is stored, when it is another. Anywhere. */
static inline bool prof_replace(uint64_t *word, uint64_t expected, uint64_t wanted)
{
  return __atomic_compare_exchange_n(word, &expected, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
