/* The thread pointer, and what lies at it. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_THREAD_POINTER_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_THREAD_POINTER_H

#include <stdint.h>

/* The address that the calling thread's thread-local storage lies above, and its control block in the C library below.
 * Anywhere. */
static inline uintptr_t prof_thread_pointer(void)
{
  uintptr_t pointer;
  __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
  return pointer;
}

/* Where the executable's thread-local block of `size` bytes begins, from the thread pointer: above two words of the C
 * library. Anywhere. */
static inline int64_t prof_thread_block(uint64_t size, uint64_t align)
{
  (void)size;
  return (int64_t)((16 + align - 1) & ~(align - 1));
}

#endif
