/* Two words of 64 bits that change as one. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_WORD_PAIR_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_WORD_PAIR_H

#include <stdbool.h>

#include "profiler/arch/common/word_pair.h"

/* Replaces the pair by `wanted` when it is `*expected`, in one step, else stores in *expected what it is. Any thread.
 */
static inline bool prof_word_pair_replace(struct prof_word_pair *pair, struct prof_word_pair *expected,
                                          struct prof_word_pair wanted)
{
  bool replaced;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(replaced), "+m"(*pair), "+a"(expected->first), "+d"(expected->second)
                   : "b"(wanted.first), "c"(wanted.second)
                   : "memory");
  return replaced;
}

#endif
