/*
 * Where a parameter's value comes from: a register, the frame, memory, or the caller.
 */
#include "symbols/capture/value_source.h"

#include <stdbool.h>

static enum sym_source source_of_op(const struct fmt_op *op)
{
  switch (op->code) {
  case FMT_OP_EMIT_REG:
  case FMT_OP_EMIT_NULL_REG:
    return SYM_SOURCE_REGISTER;
  case FMT_OP_EMIT_FRAME:
  case FMT_OP_EMIT_NULL_FRAME:
    return SYM_SOURCE_FRAME;
  case FMT_OP_EMIT_CONST:
    return SYM_SOURCE_CONSTANT;
  default:
    return SYM_SOURCE_COMPUTED;
  }
}

static bool follows_pointer(const struct fmt_op *op)
{
  return op->code == FMT_OP_LOAD || op->code == FMT_OP_EMIT_STRING || op->code == FMT_OP_EMIT_STRING_N ||
         op->code == FMT_OP_EMIT_SPAN;
}

enum sym_source sym_source_of(const struct fmt_op *ops, uint32_t op_count, uint16_t arg)
{
  enum sym_source source = SYM_SOURCE_TYPE;
  for (uint32_t i = 0; i < op_count; i++) {
    if (ops[i].arg != arg)
      continue;
    if (ops[i].code == FMT_OP_ENTRY)
      return SYM_SOURCE_CALLER;
    if (follows_pointer(&ops[i]))
      source = SYM_SOURCE_POINTER;
    else if (source != SYM_SOURCE_POINTER)
      source = source_of_op(&ops[i]);
  }
  return source;
}
