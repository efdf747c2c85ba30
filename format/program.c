/*
 * Capture programs, checked before they are run: an abstract run that keeps account of the stack's depth.
 */
#include "format/program.h"

#include "format/machine.h"

#define UNREACHED (-1)

/* How many values an op takes from the stack and puts there. */
struct effect {
  bool known;
  int8_t pops, pushes;
};

/* In the order of enum fmt_op_code. */
static const struct effect effects[FMT_OP_COUNT] = {
    [FMT_OP_EMIT_REG... FMT_OP_EMIT_NULL_FRAME] = {true, 0, 0},
    [FMT_OP_REG... FMT_OP_TLS] = {true, 0, 1},
    [FMT_OP_FRAME_LOAD... FMT_OP_ADD_CONST] = {true, 1, 1},
    [FMT_OP_DUP] = {true, 1, 2},
    [FMT_OP_DROP] = {true, 1, 0},
    [FMT_OP_OVER] = {true, 2, 3},
    [FMT_OP_PICK] = {true, 1, 2}, /* and what lies above the value */
    [FMT_OP_SWAP] = {true, 2, 2},
    [FMT_OP_ROT] = {true, 3, 3},
    [FMT_OP_ABS] = {true, 1, 1},
    [FMT_OP_AND... FMT_OP_MUL] = {true, 2, 1},
    [FMT_OP_NEG... FMT_OP_NOT] = {true, 1, 1},
    [FMT_OP_OR... FMT_OP_NE] = {true, 2, 1},
    [FMT_OP_EXTEND... FMT_OP_BITS] = {true, 1, 1},
    [FMT_OP_SKIP] = {true, 0, 0},
    [FMT_OP_BRANCH] = {true, 1, 0},
    [FMT_OP_LOSE] = {true, 0, 0},
    [FMT_OP_EMIT... FMT_OP_EMIT_STRING] = {true, 1, 0},
    [FMT_OP_EMIT_STRING_N] = {true, 2, 0},
    [FMT_OP_EMIT_LOG2... FMT_OP_EMIT_RANGE] = {true, 1, 0},
    [FMT_OP_EMIT_SPAN... FMT_OP_EMIT_SPAN_FRAME] = {true, 2, 0},
};

static struct effect effect_of(const struct fmt_op *op)
{
  if (op->code >= FMT_OP_COUNT)
    return (struct effect){false, 0, 0};
  struct effect effect = effects[op->code];
  if (op->code == FMT_OP_PICK) {
    effect.known = op->imm >= 0 && op->imm < FMT_STACK_MAX;
    if (!effect.known)
      return effect;
    effect.pops = (int8_t)(effect.pops + op->imm);
    effect.pushes = (int8_t)(effect.pushes + op->imm);
  }
  return effect;
}

static bool is_emit(uint8_t code)
{
  return code <= FMT_OP_EMIT_NULL_FRAME || (code >= FMT_OP_EMIT && code < FMT_OP_COUNT);
}

static bool is_jump(uint8_t code)
{
  return code == FMT_OP_SKIP || code == FMT_OP_BRANCH;
}

/* Registers, sizes and offsets that the runtime goes by. */
static bool has_valid_operands(const struct fmt_op *op)
{
  if (op->reg >= FMT_REGISTERS_MAX)
    return false;
  switch (op->code) {
  case FMT_OP_EMIT_NULL_FRAME:
    return fmt_frame_reaches(op->imm);
  case FMT_OP_EMIT_FRAME:
  case FMT_OP_FRAME_LOAD:
    return op->size >= 1 && op->size <= 8 && fmt_frame_reaches(op->imm);
  case FMT_OP_EMIT_REG:
  case FMT_OP_LOAD:
  case FMT_OP_EXTEND:
  case FMT_OP_EMIT:
  case FMT_OP_EMIT_SPAN:
  case FMT_OP_EMIT_SPAN_FRAME:
    return op->size >= 1 && op->size <= 8;
  case FMT_OP_BITS:
    return op->size >= 1 && op->size <= 64 && op->imm >= 0 && op->imm <= 64 - op->size;
  case FMT_OP_EMIT_STRING:
  case FMT_OP_EMIT_STRING_N:
    return op->imm >= 0 && op->imm <= (int64_t)FMT_STRING_MAX;
  default:
    return true;
  }
}

/* A load from the frame takes the address that the op before it pushes. */
static bool has_frame_base(const struct fmt_op *ops, uint32_t at)
{
  return ops[at].code != FMT_OP_FRAME_LOAD ||
         (at && (ops[at - 1].code == FMT_OP_REG || ops[at - 1].code == FMT_OP_CFA));
}

int fmt_frame_register(const struct fmt_op *ops, uint32_t at)
{
  uint8_t code = ops[at].code;
  if (code == FMT_OP_EMIT_FRAME || code == FMT_OP_EMIT_NULL_FRAME)
    return ops[at].reg;
  return code == FMT_OP_FRAME_LOAD && ops[at - 1].code == FMT_OP_REG ? ops[at - 1].reg : -1;
}

/* Notes that op `at` is reached with `depth` values; every way to it must agree. */
static bool reach(int8_t depths[FMT_PROGRAM_MAX], uint32_t at, int8_t depth)
{
  if (depths[at] != UNREACHED && depths[at] != depth)
    return false;
  depths[at] = depth;
  return true;
}

/* Follows op `at` to where control goes from it. */
static bool op_sound(const struct fmt_op *ops, uint32_t at, uint32_t count, int8_t depths[FMT_PROGRAM_MAX])
{
  const struct fmt_op *op = &ops[at];
  struct effect effect = effect_of(op);
  bool last = at + 1 == count;
  if (!effect.known || !has_valid_operands(op) || !has_frame_base(ops, at) || is_emit(op->code) != last ||
      depths[at] == UNREACHED || depths[at] < effect.pops)
    return false;
  int8_t depth = (int8_t)(depths[at] - effect.pops + effect.pushes);
  if (last)
    return depth == 0;
  if (depth > (int8_t)FMT_STACK_MAX)
    return false;
  if (is_jump(op->code) &&
      (op->imm < 0 || op->imm >= (int64_t)(count - at) - 1 || !reach(depths, at + 1 + (uint32_t)op->imm, depth) ||
       (op->imm && ops[at + 1 + (uint32_t)op->imm].code == FMT_OP_FRAME_LOAD)))
    return false;
  return op->code == FMT_OP_SKIP || op->code == FMT_OP_LOSE || reach(depths, at + 1, depth);
}

bool fmt_program_sound(const struct fmt_op *ops, uint32_t count)
{
  int8_t depths[FMT_PROGRAM_MAX];
  if (count == 0 || count > FMT_PROGRAM_MAX)
    return false;
  for (uint32_t i = 0; i < count; i++)
    depths[i] = UNREACHED;
  depths[0] = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!op_sound(ops, i, count, depths))
      return false;
  return true;
}
