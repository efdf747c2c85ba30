/*
 * A parameter's capture program as text, for --explain.
 */
#ifndef CALLSIG_SYMBOLS_CAPTURE_OPTEXT_H
#define CALLSIG_SYMBOLS_CAPTURE_OPTEXT_H

#include <stdint.h>
#include <stdio.h>

#include "format/index.h"
#include "symbols/processor/processor.h"

/* Writes the ops of one arg, with the processor's names of registers, as text, "rdi" or "[rbp-24]" where one op does it
 * all. -EIO. */
int sym_ops_print(const struct sym_processor *processor, const struct fmt_op *ops, uint32_t op_count, uint16_t arg,
                  FILE *out);

#endif
