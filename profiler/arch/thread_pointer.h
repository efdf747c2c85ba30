/* The thread pointer, and what lies at it. */
#ifndef CALLSIG_PROFILER_ARCH_THREAD_POINTER_H
#define CALLSIG_PROFILER_ARCH_THREAD_POINTER_H

#include <stdint.h>

#include "profiler/arch/registers.h"

/* The address that the calling thread's thread-local storage lies at, and the C library's control block of the thread.
 * Anywhere. */
static inline uintptr_t prof_thread_pointer(void)
{
  uintptr_t pointer;
  __asm__(PROF_READ_THREAD_POINTER : "=r"(pointer));
  return pointer;
}

/* Where the executable's thread-local block of `size` bytes begins, from the thread pointer. Anywhere. */
static inline int64_t prof_thread_block(uint64_t size, uint64_t align)
{
  const uint64_t distance = PROF_THREAD_BLOCK_ABOVE ? PROF_THREAD_BLOCK_ABOVE : size;
  const int64_t aligned = (int64_t)((distance + align - 1) & ~(align - 1));
  return PROF_THREAD_BLOCK_ABOVE ? aligned : -aligned;
}

#endif
