/*
 * Which registers an x86-64 instruction reads and writes.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_OPERANDS_H
#define CALLSIG_SYMBOLS_FLOW_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/flow/decode.h"

/* Bits are DWARF numbers. */
struct sym_operands {
  uint64_t reads;  /* certainly, and the result depends on it; the registers of an address are among them */
  uint64_t writes; /* perhaps, in whole or in part */
  bool has_memory; /* an operand is memory, or (lea) an address is formed */
  bool stores;     /* that memory is written, and not read */
  uint8_t size;    /* bytes there: no more than are read, of what is stored no fewer */
};

/* The bit of a general register that the machine numbers so; 0: none. */
uint64_t sym_general_register(uint8_t machine);

/* The same of a vector register. */
uint64_t sym_vector_register(uint8_t machine);

/* What is not known reads nothing and writes everything; what is called is not looked at. */
struct sym_operands sym_operands_of(const struct sym_instruction *instruction);

/* Whether an instruction moves the stack pointer, and by how many bytes: INT64_MIN where that is not known. */
bool sym_moves_stack(const struct sym_instruction *instruction, const struct sym_operands *operands, int64_t *by);

#endif
