/*
 * Capture programs while they are being made: small sequences of struct cs_op, and what can be known of one before it
 * runs. callsig/format/program.h checks finished ones.
 */
#ifndef CALLSIG_SYMBOLS_CODE_H
#define CALLSIG_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "callsig/format/program.h"

struct cs_code {
  struct cs_op ops[CS_PROGRAM_MAX];
  uint16_t count;
  uint16_t barrier; /* ops before it are not merged with later ones: a branch leads here */
  bool too_long;    /* something was left out */
};

static inline void cs_code_clear(struct cs_code *code)
{
  code->count = code->barrier = 0;
  code->too_long = false;
}

/* Adds an op. */
void cs_code_add(struct cs_code *code, uint8_t op, uint8_t reg, uint8_t size, uint8_t flags, int64_t imm);

/* Adds all ops of another sequence. */
void cs_code_append(struct cs_code *code, const struct cs_code *more);

/* Adds CONST imm, ADD_CONST imm, each merged into a constant or sum just before it. */
void cs_code_constant(struct cs_code *code, int64_t imm);
void cs_code_add_constant(struct cs_code *code, int64_t imm);

/* Adds a load of `size` bytes from the address on top, or from `offset` after it. `cfa_register` is the register that
 * the frame's CFA follows from, or -1: addresses that follow from it or from the stack pointer by addition of no more
 * than CS_FRAME_REACH lie in the program's own frames and are loaded without precautions. */
void cs_code_load(struct cs_code *code, uint8_t size, int64_t offset, int cfa_register);

#define CS_FRAME_REACH (1 << 24)

/* Whether the address that the whole of `code` pushes lies in the program's own frames; see cs_code_load(). */
bool cs_code_is_frame(const struct cs_code *code, int64_t offset, int cfa_register);

/* Whether the whole of `code` pushes what register `base` holds plus `offset`. */
bool cs_code_is_sum(const struct cs_code *code, uint8_t *base, int64_t *offset);

/* Whether an op of the sequence is of this kind. */
bool cs_code_has(const struct cs_code *code, uint8_t op);

#endif
