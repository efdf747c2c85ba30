/*
 * The words of a signature: its first ones hold a state of four bits for each arg, the others what was captured.
 */
#ifndef CALLSIG_PROFILER_BASE_SIGNATURE_H
#define CALLSIG_PROFILER_BASE_SIGNATURE_H

#include <stdint.h>

#include "format/index.h"

/* The state (FMT_STATE_*) of arg number `arg`. Anywhere. */
static inline unsigned prof_signature_state(const uint64_t *words, unsigned arg)
{
  return words[arg / 16] >> arg % 16 * 4 & 15;
}

/* Makes it another. Anywhere. */
static inline void prof_signature_set_state(uint64_t *words, unsigned arg, unsigned state)
{
  unsigned shift = arg % 16 * 4;
  words[arg / 16] = (words[arg / 16] & ~((uint64_t)15 << shift)) | (uint64_t)state << shift;
}

/* Words that an arg in this state takes in a signature, the first of them being *word. Anywhere. */
uint32_t prof_signature_arg_words(const struct fmt_index_arg *arg, unsigned state, const uint64_t *word);

#endif
