/*
 * Writes machine code of x86-64, an instruction at a time, into memory of a given size.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_STUB_CODE_WRITER_H
#define CALLSIG_PROFILER_ARCH_X86_64_STUB_CODE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/arch/registers.h"

/* Registers, as instructions number them. */
enum { PROF_RAX = 0, PROF_RCX = 1, PROF_RDX = 2, PROF_RSP = 4, PROF_R8 = 8, PROF_R9 = 9, PROF_R10 = 10, PROF_R11 = 11 };

/* Conditions: the low half of a conditional jump's opcode. */
enum {
  PROF_IF_BELOW = 2,
  PROF_IF_NOT_BELOW = 3,
  PROF_IF_EQUAL = 4,
  PROF_IF_NOT_EQUAL = 5,
  PROF_IF_NOT_ABOVE = 6,
  PROF_IF_NEGATIVE = 8,
  PROF_IF_NOT_GREATER = 14,
};

struct prof_code_writer {
  uint8_t *next, *end;
  bool failed; /* it was not enough */
};

void prof_code_byte(struct prof_code_writer *w, unsigned value);
void prof_code_word(struct prof_code_writer *w, uint32_t value);
void prof_code_bytes(struct prof_code_writer *w, const uint8_t *data, unsigned count);
#define PROF_CODE(w, ...) prof_code_bytes((w), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* An instruction of one to three opcode bytes with a register and [base + offset]; `size` is that of its operands. */
void prof_code_memory(struct prof_code_writer *w, unsigned size, unsigned opcode, unsigned reg, unsigned base,
                      int32_t offset);
/* The same with a second register in place of memory. */
void prof_code_registers(struct prof_code_writer *w, unsigned size, unsigned opcode, unsigned reg, unsigned other);
/* mov of 8 bytes from memory, and to it */
#define PROF_CODE_LOAD(w, reg, base, offset)  prof_code_memory((w), 8, 0x8b, (reg), (base), (offset))
#define PROF_CODE_STORE(w, reg, base, offset) prof_code_memory((w), 8, 0x89, (reg), (base), (offset))

/* A conditional jump, and what prof_code_patch() is given to say where it leads. */
uint8_t *prof_code_jump_if(struct prof_code_writer *w, unsigned condition);
void prof_code_patch(uint8_t *place, const uint8_t *target);
/* jmp to where a word within two gigabytes says: the place of its distance, for prof_code_patch(). */
uint8_t *prof_code_jump_by(struct prof_code_writer *w);
/* jmp to an address anywhere: through a word behind the instruction. */
void prof_code_jump(struct prof_code_writer *w, void (*target)(void));
/* call of an address anywhere, likewise. */
void prof_code_call(struct prof_code_writer *w, void (*target)(void));
/* Loads prof_self of the thread that runs. */
void prof_code_load_self(struct prof_code_writer *w, unsigned reg);

/* Where hooks save a register, by its DWARF number, from the stack pointer. */
static inline int32_t prof_code_saved(unsigned dwarf)
{
  return -(int32_t)PROF_R_SIZE + 8 * (int32_t)dwarf;
}

#endif
