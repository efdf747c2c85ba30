#include "callsig/format/program.h"

#define UNREACHED (-1)

/* How many values an op takes from the stack and puts there. */
struct effect {
  bool known;
  int8_t pops, pushes;
};

/* In the order of enum cs_op_code. */
static const struct effect effects[CS_OP_COUNT] = {
    [CS_OP_EMIT_REG... CS_OP_EMIT_NULL_FRAME] = {true, 0, 0},
    [CS_OP_REG... CS_OP_TLS] = {true, 0, 1},
    [CS_OP_FRAME_LOAD... CS_OP_ADD_CONST] = {true, 1, 1},
    [CS_OP_DUP] = {true, 1, 2},
    [CS_OP_DROP] = {true, 1, 0},
    [CS_OP_OVER] = {true, 2, 3},
    [CS_OP_PICK] = {true, 1, 2}, /* and what lies above the value */
    [CS_OP_SWAP] = {true, 2, 2},
    [CS_OP_ROT] = {true, 3, 3},
    [CS_OP_ABS] = {true, 1, 1},
    [CS_OP_AND... CS_OP_MUL] = {true, 2, 1},
    [CS_OP_NEG... CS_OP_NOT] = {true, 1, 1},
    [CS_OP_OR... CS_OP_NE] = {true, 2, 1},
    [CS_OP_EXTEND... CS_OP_BITS] = {true, 1, 1},
    [CS_OP_SKIP] = {true, 0, 0},
    [CS_OP_BRANCH] = {true, 1, 0},
    [CS_OP_LOSE] = {true, 0, 0},
    [CS_OP_EMIT... CS_OP_EMIT_STRING] = {true, 1, 0},
    [CS_OP_EMIT_STRING_N] = {true, 2, 0},
    [CS_OP_EMIT_LOG2... CS_OP_EMIT_RANGE] = {true, 1, 0},
    [CS_OP_EMIT_SPAN... CS_OP_EMIT_SPAN_FRAME] = {true, 2, 0},
};

static struct effect effect_of(const struct cs_op *op)
{
  if (op->code >= CS_OP_COUNT)
    return (struct effect){false, 0, 0};
  struct effect effect = effects[op->code];
  if (op->code == CS_OP_PICK) {
    effect.known = op->imm >= 0 && op->imm < CS_STACK_MAX;
    effect.pops = (int8_t)(effect.pops + op->imm);
    effect.pushes = (int8_t)(effect.pushes + op->imm);
  }
  return effect;
}

static bool is_emit(uint8_t code)
{
  return code <= CS_OP_EMIT_NULL_FRAME || (code >= CS_OP_EMIT && code < CS_OP_COUNT);
}

static bool is_jump(uint8_t code)
{
  return code == CS_OP_SKIP || code == CS_OP_BRANCH;
}

/* Registers and sizes that the runtime indexes with. */
static bool has_valid_operands(const struct cs_op *op)
{
  if (op->reg > 15)
    return false;
  switch (op->code) {
  case CS_OP_EMIT_REG:
  case CS_OP_EMIT_FRAME:
  case CS_OP_FRAME_LOAD:
  case CS_OP_LOAD:
  case CS_OP_EXTEND:
  case CS_OP_EMIT:
  case CS_OP_EMIT_SPAN:
  case CS_OP_EMIT_SPAN_FRAME:
    return op->size >= 1 && op->size <= 8;
  case CS_OP_BITS:
    return op->size >= 1 && op->size <= 64 && op->imm >= 0 && op->imm <= 64 - op->size;
  case CS_OP_EMIT_STRING:
  case CS_OP_EMIT_STRING_N:
    return op->imm >= 0 && op->imm <= (int64_t)CS_STRING_MAX;
  default:
    return true;
  }
}

/* Notes that op `at` is reached with `depth` values; every way to it must agree. */
static bool reach(int8_t depths[CS_PROGRAM_MAX], uint32_t at, int8_t depth)
{
  if (depths[at] != UNREACHED && depths[at] != depth)
    return false;
  depths[at] = depth;
  return true;
}

/* Follows op `at` to where control goes from it. */
static bool op_sound(const struct cs_op *ops, uint32_t at, uint32_t count, int8_t depths[CS_PROGRAM_MAX])
{
  const struct cs_op *op = &ops[at];
  struct effect effect = effect_of(op);
  bool last = at + 1 == count;
  if (!effect.known || !has_valid_operands(op) || is_emit(op->code) != last || depths[at] == UNREACHED ||
      depths[at] < effect.pops)
    return false;
  int8_t depth = (int8_t)(depths[at] - effect.pops + effect.pushes);
  if (last)
    return depth == 0;
  if (depth > (int8_t)CS_STACK_MAX)
    return false;
  if (is_jump(op->code) &&
      (op->imm < 0 || op->imm >= (int64_t)(count - at) - 1 || !reach(depths, at + 1 + (uint32_t)op->imm, depth)))
    return false;
  return op->code == CS_OP_SKIP || op->code == CS_OP_LOSE || reach(depths, at + 1, depth);
}

bool cs_program_sound(const struct cs_op *ops, uint32_t count)
{
  int8_t depths[CS_PROGRAM_MAX];
  if (count == 0 || count > CS_PROGRAM_MAX)
    return false;
  for (uint32_t i = 0; i < count; i++)
    depths[i] = UNREACHED;
  depths[0] = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!op_sound(ops, i, count, depths))
      return false;
  return true;
}
