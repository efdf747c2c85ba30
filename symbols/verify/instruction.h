/*
 * As much of x86-64's instruction encoding as lengths, operands and jumps need.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_INSTRUCTION_H
#define CALLSIG_SYMBOLS_VERIFY_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VF_INSTRUCTION_MAX = 15, VF_NO_REGISTER = 255 };

struct vf_instruction {
  unsigned length; /* 0: not known */
  uint8_t opcode;
  bool is_two_byte; /* 0f xx */
  bool is_short;    /* operand prefix 66 */
  bool is_wide;     /* REX.W */
  bool has_rex;
  uint8_t repeat; /* f2 or f3, 0 for none */
  bool has_modrm;
  uint8_t reg;    /* ModRM.reg with REX.R */
  bool is_memory; /* ModRM.rm is memory: base + index * scale + displacement, or relative to the next instruction */
  uint8_t rm;     /* ModRM.rm with REX.B, when it is a register; without ModRM, the opcode's own register */
  uint8_t base, index, scale; /* registers, VF_NO_REGISTER for none */
  bool is_relative;
  int32_t displacement;
  int64_t immediate;
};

/* Decodes the instruction at `at`, of which `available` bytes can be read. */
struct vf_instruction vf_decode(const uint8_t *at, size_t available);

/* Whether control leaves the straight line for good, or a call may change registers. */
bool vf_breaks_line(const struct vf_instruction *instruction);

#endif
