/*
 * Operations on what was pushed: loads, conversions, moves and arithmetic.
 */
#include "symbols/location/expression_machine.h"

#include <dwarf.h>

/* Between integers a conversion cuts or extends; to and from floating point only a change of type of the same bits
 * (reinterpret) can be followed. */
enum sym_lost sym_machine_convert(struct sym_machine *machine, const Dwarf_Op *op)
{
  struct sym_stack_type to;
  if (machine->depth < 1)
    return SYM_LOST_CORRUPT;
  struct sym_stack_type from = machine->types[machine->depth - 1];
  if (!sym_machine_operand_type(machine, op, &to))
    return SYM_LOST_OPERATION;
  bool keeps_bits = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
  if (!keeps_bits && (from.kind == SYM_STACK_FLOATING || to.kind == SYM_STACK_FLOATING) &&
      (from.kind != to.kind || from.size != to.size))
    return SYM_LOST_OPERATION;
  if (keeps_bits && from.size != to.size)
    return SYM_LOST_OPERATION;
  if (to.kind == SYM_STACK_INTEGER)
    sym_machine_extend(machine, to);
  machine->depth--;
  return sym_machine_push(machine, to);
}

enum sym_lost sym_machine_load(struct sym_machine *machine, Dwarf_Word size)
{
  if (machine->depth < 1 || size < 1 || size > 8 || machine->types[machine->depth - 1].kind == SYM_STACK_FLOATING)
    return SYM_LOST_CORRUPT;
  if (!sym_machine_keeps_memory(machine))
    return SYM_LOST_OPERATION;
  sym_code_load(machine->code, (uint8_t)size, 0, sym_location_bases(machine->context));
  /* The runtime extends what it loads with zeros, as DW_OP_deref_size does. */
  machine->types[machine->depth - 1] = sym_stack_of_width(size < 8 ? (uint8_t)size : SYM_WIDTH_WHOLE);
  return SYM_LOST_NOT;
}

enum sym_lost sym_machine_move(struct sym_machine *machine, const Dwarf_Op *op)
{
  struct sym_stack_type *top = machine->types + machine->depth;
  Dwarf_Word index = op->atom == DW_OP_pick ? op->number : op->atom == DW_OP_over ? 1 : 0;
  static const struct sym_stack_type none;
  switch (op->atom) {
  case DW_OP_drop:
    if (machine->depth < 1)
      return SYM_LOST_CORRUPT;
    sym_code_add(machine->code, FMT_OP_DROP, 0, 0, 0, 0);
    machine->depth--;
    return SYM_LOST_NOT;
  case DW_OP_swap:
    if (machine->depth < 2)
      return SYM_LOST_CORRUPT;
    sym_code_add(machine->code, FMT_OP_SWAP, 0, 0, 0, 0);
    struct sym_stack_type swapped = top[-1];
    top[-1] = top[-2];
    top[-2] = swapped;
    return SYM_LOST_NOT;
  case DW_OP_rot:
    if (machine->depth < 3)
      return SYM_LOST_CORRUPT;
    sym_code_add(machine->code, FMT_OP_ROT, 0, 0, 0, 0);
    struct sym_stack_type first = top[-1];
    top[-1] = top[-2];
    top[-2] = top[-3];
    top[-3] = first;
    return SYM_LOST_NOT;
  default:
    if (index >= machine->depth)
      return SYM_LOST_CORRUPT;
    sym_code_add(machine->code,
                 op->atom == DW_OP_dup    ? FMT_OP_DUP
                 : op->atom == DW_OP_over ? FMT_OP_OVER
                                          : FMT_OP_PICK,
                 0, 0, 0, op->atom == DW_OP_pick ? (int64_t)index : 0);
    return sym_machine_push(machine, index < machine->depth ? machine->types[machine->depth - 1 - index] : none);
  }
}

/* abs, neg, not. */
static enum sym_lost unary(struct sym_machine *machine, uint8_t op)
{
  if (machine->depth < 1 || machine->types[machine->depth - 1].kind == SYM_STACK_FLOATING)
    return SYM_LOST_OPERATION;
  struct sym_stack_type type = machine->types[machine->depth - 1];
  if (op == FMT_OP_ABS && type.kind == SYM_STACK_INTEGER && !type.is_signed)
    return SYM_LOST_NOT;
  sym_code_add(machine->code, op, 0, 0, 0, 0);
  if (type.kind == SYM_STACK_INTEGER)
    sym_machine_extend(machine, type);
  return SYM_LOST_NOT;
}

/* The runtime divides and compares signed 64-bit words, takes remainders of unsigned ones, as DWARF says for the
 * generic type. A typed entry is extended to 64 bits, so this is right for every type but unsigned 8 bytes (and signed
 * remainders). */
static bool is_word_operation_right(uint8_t op, struct sym_stack_type type)
{
  if (type.kind == SYM_STACK_GENERIC)
    return true;
  switch (op) {
  case FMT_OP_MOD:
    return !type.is_signed;
  case FMT_OP_DIV:
  case FMT_OP_GE:
  case FMT_OP_GT:
  case FMT_OP_LE:
  case FMT_OP_LT:
    return type.is_signed || type.size < 8;
  case FMT_OP_SHR:
    return !type.is_signed || type.size == 8;
  case FMT_OP_SHRA:
    return type.is_signed;
  default:
    return true;
  }
}

/* LLVM writes untyped constants beside typed values, which DWARF does not allow. Where the low bits of the result
 * depend on the low bits of the operands alone, there is one way to understand it. */
static bool is_typed_by_one(uint8_t op, struct sym_stack_type left, struct sym_stack_type right)
{
  bool is_modular = op == FMT_OP_PLUS || op == FMT_OP_MINUS || op == FMT_OP_MUL || op == FMT_OP_AND ||
                    op == FMT_OP_OR || op == FMT_OP_XOR;
  return is_modular && ((left.kind == SYM_STACK_GENERIC && right.kind == SYM_STACK_INTEGER) ||
                        (left.kind == SYM_STACK_INTEGER && right.kind == SYM_STACK_GENERIC));
}

static bool is_narrow(struct sym_stack_type type)
{
  return type.width > SYM_WIDTH_WHOLE && type.width < SYM_WIDTH_REGISTER;
}

/* How many bytes the result of an operation has. */
static uint8_t width_of_result(const struct sym_machine *machine, uint8_t op, struct sym_stack_type left,
                               struct sym_stack_type right)
{
  const struct fmt_op *mask = &machine->code->ops[machine->code->count - 1];
  if (op == FMT_OP_AND && left.width == SYM_WIDTH_REGISTER && right.width == SYM_WIDTH_ANY)
    return mask->imm == UINT32_MAX ? 4 : mask->imm == UINT16_MAX ? 2 : mask->imm == UINT8_MAX ? 1 : SYM_WIDTH_WHOLE;
  const uint8_t width = left.width == SYM_WIDTH_ANY ? right.width : left.width;
  const bool agree = left.width == right.width || left.width == SYM_WIDTH_ANY || right.width == SYM_WIDTH_ANY;
  return agree && width != SYM_WIDTH_REGISTER ? width : SYM_WIDTH_WHOLE;
}

/* Extends the left operand of an operation whose result depends on its highest bits, where clang computes with fewer
 * bytes than the runtime. What it divides and takes remainders of has signs; whether it compares with signs is not
 * told. */
static enum sym_lost extend_left(struct sym_machine *machine, uint8_t op, struct sym_stack_type left,
                                 struct sym_stack_type right)
{
  struct sym_code *code = machine->code;
  const bool is_divided = op == FMT_OP_DIV || op == FMT_OP_MOD;
  const bool is_ordered = op >= FMT_OP_GE && op <= FMT_OP_LT;
  if (!is_divided && !is_ordered && op != FMT_OP_SHR && op != FMT_OP_SHRA)
    return SYM_LOST_NOT;
  if (is_ordered || right.width != SYM_WIDTH_ANY || code->barrier >= code->count)
    return SYM_LOST_OPERATION;
  const struct fmt_op constant = code->ops[--code->count];
  sym_code_add(code, FMT_OP_EXTEND, 0, left.width, op == FMT_OP_SHR ? 0 : FMT_OPF_SIGNED, 0);
  sym_code_constant(code, constant.imm);
  return SYM_LOST_NOT;
}

/* The remainder with a sign: the runtime takes that of unsigned words. */
static enum sym_lost signed_remainder(struct sym_machine *machine)
{
  static const uint8_t ops[] = {FMT_OP_OVER, FMT_OP_OVER, FMT_OP_DIV, FMT_OP_MUL, FMT_OP_MINUS};
  if (machine->depth + 2 > FMT_STACK_MAX)
    return SYM_LOST_TOO_LONG;
  for (size_t i = 0; i < sizeof ops; i++)
    sym_code_add(machine->code, ops[i], 0, 0, 0, 0);
  return SYM_LOST_NOT;
}

/* Adds an operation on two words. */
static enum sym_lost add_binary(struct sym_machine *machine, uint8_t op, struct sym_stack_type left,
                                struct sym_stack_type right)
{
  const bool is_clangs = machine->context->writes_after_call && (is_narrow(left) || is_narrow(right));
  const enum sym_lost lost = is_clangs ? extend_left(machine, op, left, right) : SYM_LOST_NOT;
  if (lost)
    return lost;
  if (is_clangs && op == FMT_OP_MOD)
    return signed_remainder(machine);
  sym_code_add(machine->code, op, 0, 0, 0, 0);
  return SYM_LOST_NOT;
}

static enum sym_lost binary(struct sym_machine *machine, uint8_t op)
{
  if (machine->depth < 2)
    return SYM_LOST_CORRUPT;
  struct sym_stack_type right = machine->types[machine->depth - 1], left = machine->types[machine->depth - 2];
  bool is_shift = op == FMT_OP_SHL || op == FMT_OP_SHR || op == FMT_OP_SHRA;
  bool agree = left.kind == right.kind && left.size == right.size && left.bits == right.bits &&
               left.is_signed == right.is_signed;
  if (is_typed_by_one(op, left, right)) {
    agree = true;
    left = left.kind == SYM_STACK_INTEGER ? left : right;
  }
  if (left.kind == SYM_STACK_FLOATING || right.kind == SYM_STACK_FLOATING || (!agree && !is_shift) ||
      !is_word_operation_right(op, left))
    return SYM_LOST_OPERATION;
  const uint8_t width = width_of_result(machine, op, left, right);
  const enum sym_lost lost = add_binary(machine, op, left, right);
  if (lost)
    return lost;
  machine->depth -= 2;
  bool is_comparison = op >= FMT_OP_EQ && op <= FMT_OP_NE;
  if (!is_comparison && left.kind == SYM_STACK_INTEGER)
    sym_machine_extend(machine, left);
  if (left.kind == SYM_STACK_GENERIC)
    left.width = width;
  return sym_machine_push(machine, is_comparison ? sym_stack_generic : left);
}

bool sym_machine_arithmetic(struct sym_machine *machine, const Dwarf_Op *op, enum sym_lost *lost)
{
  static const struct {
    uint8_t atom, op, operands;
  } table[] = {
      {DW_OP_abs, FMT_OP_ABS, 1},   {DW_OP_neg, FMT_OP_NEG, 1}, {DW_OP_not, FMT_OP_NOT, 1},
      {DW_OP_and, FMT_OP_AND, 2},   {DW_OP_div, FMT_OP_DIV, 2}, {DW_OP_minus, FMT_OP_MINUS, 2},
      {DW_OP_mod, FMT_OP_MOD, 2},   {DW_OP_mul, FMT_OP_MUL, 2}, {DW_OP_or, FMT_OP_OR, 2},
      {DW_OP_plus, FMT_OP_PLUS, 2}, {DW_OP_shl, FMT_OP_SHL, 2}, {DW_OP_shr, FMT_OP_SHR, 2},
      {DW_OP_shra, FMT_OP_SHRA, 2}, {DW_OP_xor, FMT_OP_XOR, 2}, {DW_OP_eq, FMT_OP_EQ, 2},
      {DW_OP_ge, FMT_OP_GE, 2},     {DW_OP_gt, FMT_OP_GT, 2},   {DW_OP_le, FMT_OP_LE, 2},
      {DW_OP_lt, FMT_OP_LT, 2},     {DW_OP_ne, FMT_OP_NE, 2},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].atom == op->atom) {
      *lost = table[i].operands == 1 ? unary(machine, table[i].op) : binary(machine, table[i].op);
      return true;
    }
  return false;
}
