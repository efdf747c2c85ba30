/* The thread pointer, which the C library keeps in a segment register. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_THREAD_POINTER_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_THREAD_POINTER_H

#include <stdint.h>

/* The address of the calling thread's control block in the C library; thread-local storage lies below it. Anywhere. */
static inline uintptr_t prof_thread_pointer(void)
{
  uintptr_t pointer;
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

/* Where the executable's thread-local block of `size` bytes begins, from the thread pointer: it ends there. Anywhere.
 */
static inline int64_t prof_thread_block(uint64_t size, uint64_t align)
{
  return -(int64_t)((size + align - 1) & ~(align - 1));
}

#endif
