#include "code.h"

#include <errno.h>
#include <string.h>

#include "frame.h"

void cs_code_add(struct cs_code *code, uint8_t op, uint8_t reg, uint8_t size, uint8_t flags, int64_t imm)
{
  if (code->count == CS_CODE_MAX) {
    code->too_long = true;
    return;
  }
  code->ops[code->count++] = (struct cs_op){.code = op, .reg = reg, .size = size, .flags = flags, .imm = imm};
}

void cs_code_append(struct cs_code *code, const struct cs_code *more)
{
  if (code->count == 0) {
    *code = *more;
    return;
  }
  for (unsigned i = 0; i < more->count; i++) {
    const struct cs_op *op = &more->ops[i];
    cs_code_add(code, op->code, op->reg, op->size, op->flags, op->imm);
  }
  code->barrier = code->count;
  code->too_long |= more->too_long;
}

/* The last op when it may still be changed and is of this kind. */
static struct cs_op *last(struct cs_code *code, uint8_t op)
{
  if (code->count <= code->barrier || code->ops[code->count - 1].code != op)
    return NULL;
  return &code->ops[code->count - 1];
}

void cs_code_constant(struct cs_code *code, int64_t imm)
{
  cs_code_add(code, CS_OP_CONST, 0, 0, 0, imm);
}

static int64_t add(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

void cs_code_add_constant(struct cs_code *code, int64_t imm)
{
  static const uint8_t sums[] = {CS_OP_ADD_CONST, CS_OP_CONST, CS_OP_ADDRESS};
  if (imm == 0)
    return;
  for (unsigned i = 0; i < sizeof sums; i++) {
    struct cs_op *op = last(code, sums[i]);
    if (op) {
      op->imm = add(op->imm, imm);
      return;
    }
  }
  cs_code_add(code, CS_OP_ADD_CONST, 0, 0, 0, imm);
}

bool cs_code_is_frame(const struct cs_code *code, int64_t offset, int cfa_register)
{
  if (code->count == 0 || code->count > 2)
    return false;
  const struct cs_op *base = &code->ops[0];
  bool is_base =
      base->code == CS_OP_CFA || (base->code == CS_OP_REG && (base->reg == CS_RSP || base->reg == cfa_register));
  if (!is_base || (code->count == 2 && code->ops[1].code != CS_OP_ADD_CONST))
    return false;
  if (code->count == 2)
    offset = add(offset, code->ops[1].imm);
  return offset >= -CS_FRAME_REACH && offset <= CS_FRAME_REACH;
}

void cs_code_load(struct cs_code *code, uint8_t size, int64_t offset, int cfa_register)
{
  uint8_t load = cs_code_is_frame(code, offset, cfa_register) ? CS_OP_FRAME_LOAD : CS_OP_LOAD;
  struct cs_op *sum = last(code, CS_OP_ADD_CONST);
  if (sum) {
    offset = add(offset, sum->imm);
    code->count--;
  }
  cs_code_add(code, load, 0, size, 0, offset);
}

bool cs_code_is_sum(const struct cs_code *code, uint8_t *base, int64_t *offset)
{
  if (code->count < 1 || code->count > 2 || code->ops[0].code != CS_OP_REG ||
      (code->count == 2 && code->ops[1].code != CS_OP_ADD_CONST))
    return false;
  *base = code->ops[0].reg;
  *offset = code->count == 2 ? code->ops[1].imm : 0;
  return true;
}

bool cs_code_has(const struct cs_code *code, uint8_t op)
{
  for (unsigned i = 0; i < code->count; i++)
    if (code->ops[i].code == op)
      return true;
  return false;
}

/* How many values an op takes from the stack and puts there. */
struct effect {
  bool known;
  int8_t pops, pushes;
};

static struct effect effect_of(const struct cs_op *op)
{
  switch ((enum cs_op_code)op->code) {
  case CS_OP_EMIT_REG:
  case CS_OP_EMIT_NULL_REG:
  case CS_OP_EMIT_CONST:
  case CS_OP_EMIT_FRAME:
  case CS_OP_EMIT_NULL_FRAME:
  case CS_OP_SKIP:
  case CS_OP_LOSE:
    return (struct effect){true, 0, 0};
  case CS_OP_REG:
  case CS_OP_XMM:
  case CS_OP_CONST:
  case CS_OP_ADDRESS:
  case CS_OP_CFA:
  case CS_OP_ENTRY:
  case CS_OP_TLS:
    return (struct effect){true, 0, 1};
  case CS_OP_FRAME_LOAD:
  case CS_OP_LOAD:
  case CS_OP_ADD_CONST:
  case CS_OP_ABS:
  case CS_OP_NEG:
  case CS_OP_NOT:
  case CS_OP_EXTEND:
  case CS_OP_BITS:
    return (struct effect){true, 1, 1};
  case CS_OP_DUP:
    return (struct effect){true, 1, 2};
  case CS_OP_DROP:
  case CS_OP_BRANCH:
  case CS_OP_EMIT:
  case CS_OP_EMIT_NULL:
  case CS_OP_EMIT_STRING:
  case CS_OP_EMIT_LOG2:
  case CS_OP_EMIT_RANGE:
    return (struct effect){true, 1, 0};
  case CS_OP_OVER:
    return (struct effect){true, 2, 3};
  case CS_OP_PICK:
    return (struct effect){op->imm >= 0 && op->imm < CS_STACK_MAX, (int8_t)(op->imm + 1), (int8_t)(op->imm + 2)};
  case CS_OP_SWAP:
    return (struct effect){true, 2, 2};
  case CS_OP_ROT:
    return (struct effect){true, 3, 3};
  case CS_OP_AND:
  case CS_OP_DIV:
  case CS_OP_MINUS:
  case CS_OP_MOD:
  case CS_OP_MUL:
  case CS_OP_OR:
  case CS_OP_PLUS:
  case CS_OP_SHL:
  case CS_OP_SHR:
  case CS_OP_SHRA:
  case CS_OP_XOR:
  case CS_OP_EQ:
  case CS_OP_GE:
  case CS_OP_GT:
  case CS_OP_LE:
  case CS_OP_LT:
  case CS_OP_NE:
    return (struct effect){true, 2, 1};
  case CS_OP_EMIT_STRING_N:
  case CS_OP_EMIT_SPAN:
  case CS_OP_EMIT_SPAN_FRAME:
    return (struct effect){true, 2, 0};
  case CS_OP_COUNT:
    break;
  }
  return (struct effect){false, 0, 0};
}

static bool is_emit(uint8_t code)
{
  return code <= CS_OP_EMIT_NULL_FRAME || (code >= CS_OP_EMIT && code < CS_OP_COUNT);
}

/* Registers and sizes that the runtime indexes with. */
static bool has_valid_operands(const struct cs_op *op)
{
  switch ((enum cs_op_code)op->code) {
  case CS_OP_EMIT_NULL_REG:
  case CS_OP_EMIT_NULL_FRAME:
  case CS_OP_REG:
  case CS_OP_XMM:
  case CS_OP_ENTRY:
    return op->reg < 16;
  case CS_OP_EMIT_REG:
  case CS_OP_EMIT_FRAME:
    return op->reg < 16 && op->size >= 1 && op->size <= 8;
  case CS_OP_FRAME_LOAD:
  case CS_OP_LOAD:
  case CS_OP_EXTEND:
  case CS_OP_EMIT:
  case CS_OP_EMIT_SPAN:
  case CS_OP_EMIT_SPAN_FRAME:
    return op->size >= 1 && op->size <= 8;
  case CS_OP_BITS:
    return op->size >= 1 && op->size <= 64 && op->imm >= 0 && op->imm + op->size <= 64;
  case CS_OP_EMIT_STRING:
  case CS_OP_EMIT_STRING_N:
    return op->imm >= 0 && op->imm <= (int64_t)CS_STRING_MAX;
  default:
    return true;
  }
}

/* Notes that op `at` is reached with `depth` values; every way to it must agree. */
static bool reach(int8_t *depths, uint32_t at, int8_t depth)
{
  if (depths[at] >= 0 && depths[at] != depth)
    return false;
  depths[at] = depth;
  return true;
}

int cs_code_check(const struct cs_op *ops, uint32_t count)
{
  int8_t depths[CS_CODE_MAX + 1];
  if (count == 0 || count > CS_CODE_MAX)
    return -EINVAL;
  memset(depths, -1, sizeof depths);
  depths[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct cs_op *op = &ops[i];
    struct effect effect = effect_of(op);
    if (!effect.known || depths[i] < 0 || !has_valid_operands(op) || depths[i] < effect.pops)
      return -EINVAL;
    int8_t depth = (int8_t)(depths[i] - effect.pops + effect.pushes);
    if (depth > (int8_t)CS_STACK_MAX || is_emit(op->code) != (i + 1 == count) || (i + 1 == count && depth != 0))
      return -EINVAL;
    bool jumps = op->code == CS_OP_SKIP || op->code == CS_OP_BRANCH;
    if (jumps &&
        (op->imm < 0 || op->imm >= (int64_t)(count - i) - 1 || !reach(depths, i + 1 + (uint32_t)op->imm, depth)))
      return -EINVAL;
    if (op->code != CS_OP_SKIP && op->code != CS_OP_LOSE && i + 1 < count && !reach(depths, i + 1, depth))
      return -EINVAL;
  }
  return 0;
}
