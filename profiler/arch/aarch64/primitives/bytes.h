/* Copies and fills bytes without calling anything. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_BYTES_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Copies upwards: the ranges may overlap when `target` lies below `source`. Anywhere. In assembly, since a compiler
 * would make a call of a loop that copies. */
static inline void prof_bytes_copy(void *target, const void *source, size_t size)
{
  uint64_t word;
  __asm__ volatile("1:\tsubs %[size], %[size], #8\n\t"
                   "b.lo 2f\n\t"
                   "ldr %[word], [%[source]], #8\n\t"
                   "str %[word], [%[target]], #8\n\t"
                   "b 1b\n"
                   "2:\tadds %[size], %[size], #8\n\t"
                   "b.eq 4f\n"
                   "3:\tldrb %w[word], [%[source]], #1\n\t"
                   "strb %w[word], [%[target]], #1\n\t"
                   "subs %[size], %[size], #1\n\t"
                   "b.ne 3b\n"
                   "4:"
                   : [target] "+r"(target), [source] "+r"(source), [size] "+r"(size), [word] "=&r"(word)
                   :
                   : "memory", "cc");
}

/* Anywhere. */
static inline void prof_bytes_fill(void *target, int byte, size_t size)
{
  const uint64_t word = (uint8_t)byte * 0x0101010101010101u;
  __asm__ volatile("1:\tsubs %[size], %[size], #8\n\t"
                   "b.lo 2f\n\t"
                   "str %[word], [%[target]], #8\n\t"
                   "b 1b\n"
                   "2:\tadds %[size], %[size], #8\n\t"
                   "b.eq 4f\n"
                   "3:\tstrb %w[word], [%[target]], #1\n\t"
                   "subs %[size], %[size], #1\n\t"
                   "b.ne 3b\n"
                   "4:"
                   : [target] "+r"(target), [size] "+r"(size)
                   : [word] "r"(word)
                   : "memory", "cc");
}

#endif
