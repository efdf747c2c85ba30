/*
 * Capture programs while they are being made: small sequences of struct fmt_op, and what can be known of one before it
 * runs. format/program.h checks finished ones.
 */
#ifndef CALLSIG_SYMBOLS_CAPTURE_CODE_H
#define CALLSIG_SYMBOLS_CAPTURE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/program.h"

struct sym_code {
  struct fmt_op ops[FMT_PROGRAM_MAX];
  uint16_t count;
  uint16_t barrier; /* ops before it are not merged with later ones: a branch leads here */
  bool too_long;    /* something was left out */
};

/* Makes the sequence empty. */
static inline void sym_code_clear(struct sym_code *code)
{
  code->count = code->barrier = 0;
  code->too_long = false;
}

/* Adds an op. */
void sym_code_add(struct sym_code *code, uint8_t op, uint8_t reg, uint8_t size, uint8_t flags, int64_t imm);

/* Adds all ops of another sequence. */
void sym_code_append(struct sym_code *code, const struct sym_code *more);

/* Adds CONST imm, ADD_CONST imm, each merged into a constant or sum just before it. */
void sym_code_constant(struct sym_code *code, int64_t imm);
void sym_code_add_constant(struct sym_code *code, int64_t imm);

/* The registers that addresses in the program's own frames follow from. */
struct sym_frame_bases {
  uint8_t stack_pointer;
  int16_t cfa; /* the register that the frame's CFA follows from, or -1 */
};

/* Adds a load of `size` bytes from the address on top, or from `offset` after it. Addresses that follow
 * from one of `bases` by addition of no more than FMT_FRAME_REACH lie in the program's own frames and are loaded
 * without precautions. */
void sym_code_load(struct sym_code *code, uint8_t size, int64_t offset, struct sym_frame_bases bases);

/* Whether the address that the whole of `code` pushes lies in the program's own frames; see sym_code_load(). */
bool sym_code_is_frame(const struct sym_code *code, int64_t offset, struct sym_frame_bases bases);

/* Whether the whole of `code` pushes what register `base` holds plus `offset`, which has no more than 32 bits: nothing
 * that lies in a frame is further away. */
bool sym_code_is_sum(const struct sym_code *code, uint8_t *base, int64_t *offset);

/* Whether an op of the sequence is of this kind. */
bool sym_code_has(const struct sym_code *code, uint8_t op);

#endif
