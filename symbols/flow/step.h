/*
 * One instruction, as far as control flow goes.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_STEP_H
#define CALLSIG_SYMBOLS_FLOW_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"
#include "symbols/flow/decode.h"

struct sym_step {
  uint8_t size;
  bool falls_through; /* the next instruction may follow */
  bool is_call;
  bool is_indirect;                   /* a jump to where its instruction does not tell */
  bool is_padding;                    /* fills the space before an aligned instruction */
  uint64_t target;                    /* of a jump; 0: none */
  struct sym_instruction instruction; /* of x86-64 */
  uint32_t word;                      /* of aarch64 */
};

/* Reads the instruction at `at`, of the code that ends at `high`. False for what is not known or does not fit. */
bool sym_step_at(const struct sym_hook *hook, uint64_t at, uint64_t high, struct sym_step *step);

/* Where a function's code begins behind the instruction that marks it as one that is jumped to (endbr64), if there is
 * one: what debug information tells of its beginning may begin there. */
uint64_t sym_step_past_landing(const struct sym_hook *hook, uint64_t entry);

#endif
