#include "code.h"

#include "frame.h"

void cs_code_add(struct cs_code *code, uint8_t op, uint8_t reg, uint8_t size, uint8_t flags, int64_t imm)
{
  if (code->count == CS_PROGRAM_MAX) {
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
