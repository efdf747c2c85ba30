/* Two words of 64 bits that change as one. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_WORD_PAIR_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_WORD_PAIR_H

#include <stdbool.h>

#include "profiler/arch/common/word_pair.h"

/* Replaces the pair by `wanted` when it is `*expected`, in one step, else stores in *expected what it is. Any thread.
 * That both words were read at once is only certain once a store of the pair has succeeded: where it is another than
 * expected, what was read is stored again. */
static inline bool prof_word_pair_replace(struct prof_word_pair *pair, struct prof_word_pair *expected,
                                          struct prof_word_pair wanted)
{
  uint64_t first, second, differs;
  uint32_t failed;
  __asm__ volatile("1:\tldaxp %[first], %[second], %[pair]\n\t"
                   "cmp %[first], %[expected_first]\n\t"
                   "ccmp %[second], %[expected_second], #0, eq\n\t"
                   "cset %[differs], ne\n\t"
                   "b.ne 2f\n\t"
                   "stlxp %w[failed], %[wanted_first], %[wanted_second], %[pair]\n\t"
                   "cbnz %w[failed], 1b\n\t"
                   "b 3f\n"
                   "2:\tstlxp %w[failed], %[first], %[second], %[pair]\n\t"
                   "cbnz %w[failed], 1b\n"
                   "3:"
                   : [first] "=&r"(first), [second] "=&r"(second), [differs] "=&r"(differs), [failed] "=&r"(failed),
                     [pair] "+Q"(*pair)
                   : [expected_first] "r"(expected->first), [expected_second] "r"(expected->second),
                     [wanted_first] "r"(wanted.first), [wanted_second] "r"(wanted.second)
                   : "memory", "cc");
  expected->first = first;
  expected->second = second;
  return !differs;
}

#endif
