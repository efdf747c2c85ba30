/* Copies and fills bytes without calling anything. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_BYTES_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_BYTES_H

#include <stddef.h>

/* Copies upwards: the ranges may overlap when `target` lies below `source`. Anywhere. */
static inline void prof_bytes_copy(void *target, const void *source, size_t size)
{
  __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(size) : : "memory");
}

/* Anywhere. */
static inline void prof_bytes_fill(void *target, int byte, size_t size)
{
  __asm__ volatile("rep stosb" : "+D"(target), "+c"(size) : "a"(byte) : "memory");
}

#endif
