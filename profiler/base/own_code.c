/*
 * Machine code that the runtime has written: a list that only grows.
 */
#include "profiler/base/own_code.h"

#include "profiler/base/arena.h"

/* In the process's arena. Never freed. */
struct range {
  const struct range *next;
  uintptr_t start;
  size_t size;
};

/* Newest first; atomic. */
static const struct range *ranges;

bool prof_own_code_add(uintptr_t start, size_t size)
{
  struct range *range = prof_process_alloc(sizeof *range);
  if (!range)
    return false;
  range->start = start;
  range->size = size;
  range->next = __atomic_load_n(&ranges, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&ranges, &range->next, range, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  return true;
}

bool prof_own_code_holds(uintptr_t address)
{
  for (const struct range *range = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE); range; range = range->next)
    if (address - range->start < range->size)
      return true;
  return false;
}
