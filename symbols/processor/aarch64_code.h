/*
 * Instructions of aarch64, as words.
 */
#ifndef CALLSIG_SYMBOLS_PROCESSOR_AARCH64_CODE_H
#define CALLSIG_SYMBOLS_PROCESSOR_AARCH64_CODE_H

#include <string.h>

#include "symbols/processor/processor.h"

/* The instruction at `at`. False: the code ends before. */
static inline bool sym_aarch64_word(const struct sym_code_bytes *code, size_t at, uint32_t *word)
{
  if (at > code->size || code->size - at < sizeof *word)
    return false;
  memcpy(word, code->bytes + at, sizeof *word);
  return true;
}

/* `width` bits of an instruction from bit `from`, sign-extended. */
static inline int64_t sym_aarch64_signed(uint32_t word, unsigned from, unsigned width)
{
  return (int64_t)((uint64_t)word << (64 - from - width)) >> (64 - width);
}

static inline bool sym_aarch64_is_bl(uint32_t word)
{
  return (word & 0xfc000000) == 0x94000000;
}

/* Where a b or bl at `address` leads. */
static inline uint64_t sym_aarch64_branch(uint32_t word, uint64_t address)
{
  return address + (uint64_t)(sym_aarch64_signed(word, 0, 26) * 4);
}

/* What an adr at `address` computes; an adrp: the same in pages. */
static inline uint64_t sym_aarch64_near(uint32_t word, uint64_t address)
{
  return address + (uint64_t)(sym_aarch64_signed(word, 5, 19) * 4 + (int64_t)(word >> 29 & 3));
}

static inline uint64_t sym_aarch64_page(uint32_t word, uint64_t address)
{
  return (address & ~(uint64_t)4095) +
         ((uint64_t)(sym_aarch64_signed(word, 5, 19) * 4 + (int64_t)(word >> 29 & 3)) << 12);
}

#endif
