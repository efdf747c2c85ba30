/* Two words of 64 bits, which each processor can replace as one: prof_word_pair_replace(). */
#ifndef CALLSIG_PROFILER_ARCH_COMMON_WORD_PAIR_H
#define CALLSIG_PROFILER_ARCH_COMMON_WORD_PAIR_H

#include <stdint.h>

struct prof_word_pair {
  uint64_t first, second;
} __attribute__((aligned(16)));

#endif
