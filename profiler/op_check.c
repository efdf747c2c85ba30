#include "op_check.h"

#define UNREACHED (-1)

static bool is_emit(uint8_t code)
{
  return code <= CS_OP_EMIT_NULL_FRAME || (code >= CS_OP_EMIT && code < CS_OP_COUNT);
}

/* What an op needs on the stack, and how much it adds or takes. */
static void effect(const struct cs_op *op, int *needs, int *change)
{
  *needs = *change = 0;
  switch (op->code) {
  case CS_OP_REG:
  case CS_OP_XMM:
  case CS_OP_CONST:
  case CS_OP_ADDRESS:
  case CS_OP_CFA:
  case CS_OP_ENTRY:
  case CS_OP_TLS:
    *change = 1;
    return;
  case CS_OP_FRAME_LOAD:
  case CS_OP_LOAD:
  case CS_OP_ADD_CONST:
  case CS_OP_ABS:
  case CS_OP_NEG:
  case CS_OP_NOT:
  case CS_OP_EXTEND:
  case CS_OP_BITS:
    *needs = 1;
    return;
  case CS_OP_DUP:
    *needs = *change = 1;
    return;
  case CS_OP_DROP:
  case CS_OP_BRANCH:
  case CS_OP_EMIT:
  case CS_OP_EMIT_NULL:
  case CS_OP_EMIT_STRING:
  case CS_OP_EMIT_LOG2:
  case CS_OP_EMIT_RANGE:
    *needs = 1;
    *change = -1;
    return;
  case CS_OP_OVER:
    *needs = 2;
    *change = 1;
    return;
  case CS_OP_PICK:
    *needs = (int)op->imm + 1;
    *change = 1;
    return;
  case CS_OP_SWAP:
    *needs = 2;
    return;
  case CS_OP_ROT:
    *needs = 3;
    return;
  case CS_OP_EMIT_STRING_N:
  case CS_OP_EMIT_SPAN:
  case CS_OP_EMIT_SPAN_FRAME:
    *needs = 2;
    *change = -2;
    return;
  case CS_OP_SKIP:
  case CS_OP_LOSE:
    return;
  default:
    if (op->code >= CS_OP_AND && op->code <= CS_OP_NE) { /* of two values one */
      *needs = 2;
      *change = -1;
    }
  }
}

/* Control comes to op `at` with this depth: the same on every way. */
static bool reach(int8_t depths[CS_ARG_OPS_MAX], uint32_t at, uint32_t count, int depth)
{
  if (at >= count || (depths[at] != UNREACHED && depths[at] != depth))
    return false;
  depths[at] = (int8_t)depth;
  return true;
}

bool cs_ops_sound(const struct cs_op *ops, uint32_t count)
{
  int8_t depths[CS_ARG_OPS_MAX];
  if (count == 0 || count > CS_ARG_OPS_MAX)
    return false;
  for (uint32_t i = 0; i < count; i++)
    depths[i] = UNREACHED;
  depths[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct cs_op *op = &ops[i];
    bool jumps = op->code == CS_OP_SKIP || op->code == CS_OP_BRANCH;
    if (is_emit(op->code) != (i == count - 1) || (jumps && (op->imm < 0 || op->imm >= count)))
      return false;
    if (depths[i] == UNREACHED)
      continue;
    int needs, change, depth = depths[i];
    effect(op, &needs, &change);
    if (depth < needs || depth + change > (int)CS_STACK_MAX)
      return false;
    depth += change;
    if (jumps && !reach(depths, i + 1 + (uint32_t)op->imm, count, depth))
      return false;
    bool falls_through = op->code != CS_OP_SKIP && op->code != CS_OP_LOSE && i < count - 1;
    if (falls_through && !reach(depths, i + 1, count, depth))
      return false;
  }
  return true;
}
