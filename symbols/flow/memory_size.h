/*
 * How many bytes of memory an x86-64 instruction reads or writes.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_MEMORY_SIZE_H
#define CALLSIG_SYMBOLS_FLOW_MEMORY_SIZE_H

#include <stdint.h>

#include "symbols/flow/decode.h"

#define SYM_MEMORY_MOST 128u /* that an instruction writes which is not known: fsave has 108 */

/* Of an instruction whose operand in memory is read, or (lea) has its address taken: no more bytes than are. */
uint8_t sym_memory_read(const struct sym_instruction *instruction);

/* Of one whose operand is written and not read: no fewer bytes than are. */
uint8_t sym_memory_stored(const struct sym_instruction *instruction);

#endif
