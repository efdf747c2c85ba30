#include <errno.h>
#include <inttypes.h>

#include "coverage.h"

/* DWARF register numbers of x86-64. */
static const char *const register_names[] = {
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

static const char *const op_names[CS_OP_COUNT] = {
    [CS_OP_REG] = "reg",
    [CS_OP_XMM] = "xmm",
    [CS_OP_CONST] = "const",
    [CS_OP_ADDRESS] = "address",
    [CS_OP_CFA] = "cfa",
    [CS_OP_ENTRY] = "entry",
    [CS_OP_TLS] = "tls",
    [CS_OP_FRAME_LOAD] = "frame-load",
    [CS_OP_LOAD] = "load",
    [CS_OP_ADD_CONST] = "add",
    [CS_OP_DUP] = "dup",
    [CS_OP_DROP] = "drop",
    [CS_OP_OVER] = "over",
    [CS_OP_PICK] = "pick",
    [CS_OP_SWAP] = "swap",
    [CS_OP_ROT] = "rot",
    [CS_OP_ABS] = "abs",
    [CS_OP_AND] = "and",
    [CS_OP_DIV] = "div",
    [CS_OP_MINUS] = "minus",
    [CS_OP_MOD] = "mod",
    [CS_OP_MUL] = "mul",
    [CS_OP_NEG] = "neg",
    [CS_OP_NOT] = "not",
    [CS_OP_OR] = "or",
    [CS_OP_PLUS] = "plus",
    [CS_OP_SHL] = "shl",
    [CS_OP_SHR] = "shr",
    [CS_OP_SHRA] = "shra",
    [CS_OP_XOR] = "xor",
    [CS_OP_EQ] = "eq",
    [CS_OP_GE] = "ge",
    [CS_OP_GT] = "gt",
    [CS_OP_LE] = "le",
    [CS_OP_LT] = "lt",
    [CS_OP_NE] = "ne",
    [CS_OP_EXTEND] = "extend",
    [CS_OP_BITS] = "bits",
    [CS_OP_SKIP] = "skip",
    [CS_OP_BRANCH] = "branch",
    [CS_OP_LOSE] = "lose",
    [CS_OP_EMIT] = "emit",
    [CS_OP_EMIT_NULL] = "emit-null",
    [CS_OP_EMIT_STRING] = "emit-string",
    [CS_OP_EMIT_STRING_N] = "emit-string-n",
    [CS_OP_EMIT_LOG2] = "emit-log2",
    [CS_OP_EMIT_RANGE] = "emit-range",
    [CS_OP_EMIT_SPAN] = "emit-span",
    [CS_OP_EMIT_SPAN_FRAME] = "emit-span-frame",
};

static const char *register_name(uint8_t reg)
{
  return reg < sizeof register_names / sizeof *register_names ? register_names[reg] : "?";
}

static void print_op(const struct cs_op *op, FILE *out)
{
  switch (op->code) {
  case CS_OP_EMIT_REG:
  case CS_OP_EMIT_NULL_REG:
    fprintf(out, "%s", register_name(op->reg));
    break;
  case CS_OP_EMIT_FRAME:
  case CS_OP_EMIT_NULL_FRAME:
    fprintf(out, "[%s%+" PRId64 "]", register_name(op->reg), op->imm);
    break;
  case CS_OP_EMIT_CONST:
    fprintf(out, "%" PRId64, op->imm);
    break;
  case CS_OP_REG:
  case CS_OP_ENTRY:
    fprintf(out, "%s %s", op_names[op->code], register_name(op->reg));
    break;
  case CS_OP_XMM:
    fprintf(out, "xmm%u", op->reg);
    break;
  case CS_OP_ADDRESS:
    fprintf(out, "address %#" PRIx64, (uint64_t)op->imm);
    break;
  case CS_OP_FRAME_LOAD:
  case CS_OP_LOAD:
    fprintf(out, "%s %u at %+" PRId64, op_names[op->code], op->size, op->imm);
    break;
  case CS_OP_BITS:
    fprintf(out, "bits %" PRId64 "..%" PRId64, op->imm, op->imm + op->size);
    break;
  case CS_OP_CONST:
  case CS_OP_TLS:
  case CS_OP_ADD_CONST:
  case CS_OP_PICK:
  case CS_OP_SKIP:
  case CS_OP_BRANCH:
    fprintf(out, "%s %" PRId64, op_names[op->code], op->imm);
    break;
  default:
    fprintf(out, "%s", op->code < CS_OP_COUNT && op_names[op->code] ? op_names[op->code] : "?");
    break;
  }
}

int cs_ops_print(const struct cs_op *ops, uint32_t op_count, uint16_t arg, FILE *out)
{
  const char *separator = "";
  for (uint32_t i = 0; i < op_count; i++) {
    if (ops[i].arg != arg)
      continue;
    fputs(separator, out);
    print_op(&ops[i], out);
    if (ops[i].flags & CS_OPF_VOLATILE)
      fputs(" (lost on a module's first call)", out);
    separator = ", ";
  }
  return ferror(out) ? -EIO : 0;
}
