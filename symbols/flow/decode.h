/*
 * One x86-64 instruction, as far as following values through straight code needs it: its length, its operands and, for
 * the moves that compilers write around a call, what it does. Of VEX and EVEX instructions it tells operands and
 * length.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode maps) and chapter
 * 2 (instruction format).
 */
#ifndef CALLSIG_SYMBOLS_FLOW_DECODE_H
#define CALLSIG_SYMBOLS_FLOW_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYM_NO_REGISTER = 255, SYM_RIP_REGISTER = 254 };

enum sym_opcode_map {
  SYM_MAP_ONE_BYTE,
  SYM_MAP_0F,
  SYM_MAP_0F38,
  SYM_MAP_0F3A,
};

struct sym_instruction {
  uint8_t size;         /* bytes */
  uint8_t map;          /* enum sym_opcode_map */
  uint8_t opcode;       /* in its map */
  uint8_t prefix;       /* the last of 66, f2, f3, or 0; what VEX and EVEX have in its place */
  uint8_t operand_size; /* of general registers: 2, 4 or 8 bytes (byte opcodes: 1 is for the reader to know) */
  bool has_rex;         /* byte registers 4 to 7 are spl, bpl, sil, dil and not ah, ch, dh, bh */
  bool is_vex;          /* VEX or EVEX: what the opcode does is another thing than without */
  bool is_evex;         /* the vectors that it names may be others of 32, by bits that are not looked at */
  uint8_t vvvv;         /* the third register of VEX and EVEX */
  bool has_modrm;
  bool is_memory;           /* ModRM names memory, not a register */
  bool has_other_addresses; /* a segment or address-size prefix: the memory is not at base + index + displacement */
  uint8_t reg;              /* ModRM.reg with REX.R; machine numbering: rax rcx rdx rbx rsp rbp rsi rdi r8 ... */
  uint8_t rm; /* ModRM.rm with REX.B when it is a register; opcode's own register for one-byte register opcodes */
  uint8_t base, index; /* of memory; SYM_NO_REGISTER, and SYM_RIP_REGISTER for base */
  uint8_t scale;
  int32_t displacement;
  int64_t immediate;
};

/* Decodes the instruction at `bytes`, of which `left` may be read. False for what is not known or does not fit. */
bool sym_decode(const uint8_t *bytes, size_t left, struct sym_instruction *instruction);

#endif
