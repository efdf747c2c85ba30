/*
 * Counters in the recording, each with one writer: the thread that it belongs to, with its signal handlers.
 */
#ifndef CALLSIG_PROFILER_BASE_COUNTER_H
#define CALLSIG_PROFILER_BASE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/arch/primitives.h"

/* Moves a count from an ended thread's tree: when the process is killed in the middle, each is in one tree or the
 * other. Under threads_lock. */
static inline void prof_move(uint64_t *target, uint64_t *source)
{
  __atomic_store_n(target, *target + *source, __ATOMIC_RELAXED);
  __atomic_store_n(source, 0, __ATOMIC_RELAXED);
}

/* Adds to a sum that stands still at UINT64_MAX when it reaches it. Any thread, anywhere. */
static inline void prof_add_saturated(uint64_t *sum, uint64_t value)
{
  uint64_t before = __atomic_load_n(sum, __ATOMIC_RELAXED), after;
  do
    after = before > UINT64_MAX - value ? UINT64_MAX : before + value;
  while (!__atomic_compare_exchange_n(sum, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* `ticks` * `part` / `all`, where neither is more than `all`. Anywhere. */
static inline uint64_t prof_part_of(uint64_t ticks, uint64_t part, uint64_t all)
{
  unsigned shift = 0;
  while (all >> shift >> 32)
    shift++;
  return all ? (ticks >> shift) * (part >> shift) / (all >> shift) << shift : 0;
}

/* Lowers a minimum and raises a maximum that only this thread writes, and its signal handlers. Anywhere. */
static inline void prof_note_extremes(uint64_t *least, uint64_t *most, uint64_t value)
{
  uint64_t min = *least, max = *most;
  while (value < min && !__atomic_compare_exchange_n(least, &min, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  while (value > max && !__atomic_compare_exchange_n(most, &max, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

#endif
