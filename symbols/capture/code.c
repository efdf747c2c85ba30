/*
 * Puts capture programs together, op by op.
 */
#include "symbols/capture/code.h"

#include <stddef.h>

void sym_code_add(struct sym_code *code, uint8_t op, uint8_t reg, uint8_t size, uint8_t flags, int64_t imm)
{
  if (code->count == FMT_PROGRAM_MAX) {
    code->too_long = true;
    return;
  }
  code->ops[code->count++] = (struct fmt_op){.code = op, .reg = reg, .size = size, .flags = flags, .imm = imm};
}

void sym_code_append(struct sym_code *code, const struct sym_code *more)
{
  if (code->count == 0) {
    *code = *more;
    return;
  }
  uint16_t before = code->count;
  for (unsigned i = 0; i < more->count; i++) {
    const struct fmt_op *op = &more->ops[i];
    sym_code_add(code, op->code, op->reg, op->size, op->flags, op->imm);
  }
  code->barrier = (uint16_t)(before + more->barrier);
  code->too_long |= more->too_long;
}

/* The last op when it may still be changed and is of this kind. */
static struct fmt_op *last(struct sym_code *code, uint8_t op)
{
  if (code->count <= code->barrier || code->ops[code->count - 1].code != op)
    return NULL;
  return &code->ops[code->count - 1];
}

void sym_code_constant(struct sym_code *code, int64_t imm)
{
  sym_code_add(code, FMT_OP_CONST, 0, 0, 0, imm);
}

static int64_t add(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

void sym_code_add_constant(struct sym_code *code, int64_t imm)
{
  static const uint8_t sums[] = {FMT_OP_ADD_CONST, FMT_OP_CONST, FMT_OP_ADDRESS};
  if (imm == 0)
    return;
  for (unsigned i = 0; i < sizeof sums; i++) {
    struct fmt_op *op = last(code, sums[i]);
    if (op) {
      op->imm = add(op->imm, imm);
      return;
    }
  }
  sym_code_add(code, FMT_OP_ADD_CONST, 0, 0, 0, imm);
}

/* Whether an address that ops from `base` on push lies in the program's own frames; see sym_code_load(). */
static bool is_frame(const struct sym_code *code, unsigned base, int64_t offset, struct sym_frame_bases bases)
{
  const struct fmt_op *op = &code->ops[base];
  bool is_base =
      op->code == FMT_OP_CFA || (op->code == FMT_OP_REG && (op->reg == bases.stack_pointer || op->reg == bases.cfa));
  if (!is_base || base + 2u < code->count || (base + 1u < code->count && op[1].code != FMT_OP_ADD_CONST))
    return false;
  if (base + 1u < code->count)
    offset = add(offset, op[1].imm);
  return fmt_frame_reaches(offset);
}

bool sym_code_is_frame(const struct sym_code *code, int64_t offset, struct sym_frame_bases bases)
{
  return code->count > 0 && is_frame(code, 0, offset, bases);
}

void sym_code_load(struct sym_code *code, uint8_t size, int64_t offset, struct sym_frame_bases bases)
{
  struct fmt_op *sum = last(code, FMT_OP_ADD_CONST);
  /* What is on top may be the second operand of a sum, say: the ops before those that push it do not matter, unless a
   * branch leads between them. */
  int base = (int)code->count - (sum ? 2 : 1);
  bool in_frame = base >= (int)code->barrier && is_frame(code, (unsigned)base, offset, bases);
  if (sum) {
    offset = add(offset, sum->imm);
    code->count--;
  }
  sym_code_add(code, in_frame ? FMT_OP_FRAME_LOAD : FMT_OP_LOAD, 0, size, 0, offset);
}

bool sym_code_is_sum(const struct sym_code *code, uint8_t *base, int64_t *offset)
{
  if (code->count < 1 || code->count > 2 || code->ops[0].code != FMT_OP_REG ||
      (code->count == 2 && code->ops[1].code != FMT_OP_ADD_CONST))
    return false;
  *base = code->ops[0].reg;
  *offset = code->count == 2 ? code->ops[1].imm : 0;
  return *offset == (int32_t)*offset;
}

bool sym_code_has(const struct sym_code *code, uint8_t op)
{
  for (unsigned i = 0; i < code->count; i++)
    if (code->ops[i].code == op)
      return true;
  return false;
}
