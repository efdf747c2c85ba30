/*
 * Where a parameter's value comes from, judged by its capture program.
 */
#ifndef CALLSIG_SYMBOLS_CAPTURE_VALUE_SOURCE_H
#define CALLSIG_SYMBOLS_CAPTURE_VALUE_SOURCE_H

#include <stdint.h>

#include "format/index.h"

enum sym_source {
  SYM_SOURCE_TYPE,     /* nowhere: it prints as its type, is a group, or is ignored */
  SYM_SOURCE_REGISTER, /* a register as it is */
  SYM_SOURCE_FRAME,    /* the function's own frame */
  SYM_SOURCE_CONSTANT, /* known when the index is made */
  SYM_SOURCE_COMPUTED, /* an expression over registers, frame and constants */
  SYM_SOURCE_POINTER,  /* memory that a pointer leads to: by rule */
  SYM_SOURCE_CALLER,   /* what the caller's call site tells of the value on entry */
  SYM_SOURCE_COUNT
};

/* The source of the arg number `arg` in a site's program. Thread-safe. */
enum sym_source sym_source_of(const struct fmt_op *ops, uint32_t op_count, uint16_t arg);

#endif
