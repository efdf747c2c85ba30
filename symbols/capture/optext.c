/*
 * Capture ops spelled for people: "rdi", "[rbp-24]", "reg rax, add 8".
 */
#include "symbols/capture/optext.h"

#include <errno.h>
#include <inttypes.h>

static const char *const op_names[FMT_OP_COUNT] = {
    [FMT_OP_REG] = "reg",
    [FMT_OP_XMM] = "xmm",
    [FMT_OP_CONST] = "const",
    [FMT_OP_ADDRESS] = "address",
    [FMT_OP_CFA] = "cfa",
    [FMT_OP_ENTRY] = "entry",
    [FMT_OP_TLS] = "tls",
    [FMT_OP_FRAME_LOAD] = "frame-load",
    [FMT_OP_LOAD] = "load",
    [FMT_OP_ADD_CONST] = "add",
    [FMT_OP_DUP] = "dup",
    [FMT_OP_DROP] = "drop",
    [FMT_OP_OVER] = "over",
    [FMT_OP_PICK] = "pick",
    [FMT_OP_SWAP] = "swap",
    [FMT_OP_ROT] = "rot",
    [FMT_OP_ABS] = "abs",
    [FMT_OP_AND] = "and",
    [FMT_OP_DIV] = "div",
    [FMT_OP_MINUS] = "minus",
    [FMT_OP_MOD] = "mod",
    [FMT_OP_MUL] = "mul",
    [FMT_OP_NEG] = "neg",
    [FMT_OP_NOT] = "not",
    [FMT_OP_OR] = "or",
    [FMT_OP_PLUS] = "plus",
    [FMT_OP_SHL] = "shl",
    [FMT_OP_SHR] = "shr",
    [FMT_OP_SHRA] = "shra",
    [FMT_OP_XOR] = "xor",
    [FMT_OP_EQ] = "eq",
    [FMT_OP_GE] = "ge",
    [FMT_OP_GT] = "gt",
    [FMT_OP_LE] = "le",
    [FMT_OP_LT] = "lt",
    [FMT_OP_NE] = "ne",
    [FMT_OP_EXTEND] = "extend",
    [FMT_OP_BITS] = "bits",
    [FMT_OP_SKIP] = "skip",
    [FMT_OP_BRANCH] = "branch",
    [FMT_OP_LOSE] = "lose",
    [FMT_OP_EMIT] = "emit",
    [FMT_OP_EMIT_NULL] = "emit-null",
    [FMT_OP_EMIT_STRING] = "emit-string",
    [FMT_OP_EMIT_STRING_N] = "emit-string-n",
    [FMT_OP_EMIT_LOG2] = "emit-log2",
    [FMT_OP_EMIT_RANGE] = "emit-range",
    [FMT_OP_EMIT_SPAN] = "emit-span",
    [FMT_OP_EMIT_SPAN_FRAME] = "emit-span-frame",
};

static const char *register_name(const struct sym_processor *processor, uint8_t reg)
{
  return reg < processor->register_count ? processor->registers[reg] : "?";
}

static void print_op(const struct sym_processor *processor, const struct fmt_op *op, FILE *out)
{
  switch (op->code) {
  case FMT_OP_EMIT_REG:
  case FMT_OP_EMIT_NULL_REG:
    fprintf(out, "%s", register_name(processor, op->reg));
    break;
  case FMT_OP_EMIT_FRAME:
  case FMT_OP_EMIT_NULL_FRAME:
    fprintf(out, "[%s%+" PRId64 "]", register_name(processor, op->reg), op->imm);
    break;
  case FMT_OP_EMIT_CONST:
    fprintf(out, "%" PRId64, op->imm);
    break;
  case FMT_OP_REG:
  case FMT_OP_ENTRY:
    fprintf(out, "%s %s", op_names[op->code], register_name(processor, op->reg));
    break;
  case FMT_OP_XMM:
    fprintf(out, "%s%u", processor->vector, op->reg);
    break;
  case FMT_OP_ADDRESS:
    fprintf(out, "address %#" PRIx64, (uint64_t)op->imm);
    break;
  case FMT_OP_FRAME_LOAD:
  case FMT_OP_LOAD:
    fprintf(out, "%s %u at %+" PRId64, op_names[op->code], op->size, op->imm);
    break;
  case FMT_OP_BITS:
    fprintf(out, "bits %" PRId64 "..%" PRId64, op->imm, op->imm + op->size);
    break;
  case FMT_OP_CONST:
  case FMT_OP_TLS:
  case FMT_OP_ADD_CONST:
  case FMT_OP_PICK:
  case FMT_OP_SKIP:
  case FMT_OP_BRANCH:
    fprintf(out, "%s %" PRId64, op_names[op->code], op->imm);
    break;
  default:
    fprintf(out, "%s", op->code < FMT_OP_COUNT && op_names[op->code] ? op_names[op->code] : "?");
    break;
  }
}

int sym_ops_print(const struct sym_processor *processor, const struct fmt_op *ops, uint32_t op_count, uint16_t arg,
                  FILE *out)
{
  const char *separator = "";
  for (uint32_t i = 0; i < op_count; i++) {
    if (ops[i].arg != arg)
      continue;
    fputs(separator, out);
    print_op(processor, &ops[i], out);
    if (ops[i].flags & FMT_OPF_VOLATILE)
      fputs(" (lost on a module's first call)", out);
    separator = ", ";
  }
  return ferror(out) ? -EIO : 0;
}
