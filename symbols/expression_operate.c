/* Operations on what was pushed: loads, conversions, moves and arithmetic. */
#include "expression_machine.h"

#include <dwarf.h>

/* Between integers a conversion cuts or extends; to and from floating point only a change of type of the same bits
 * (reinterpret) can be followed. */
enum cs_lost cs_machine_convert(struct cs_machine *machine, const Dwarf_Op *op)
{
  struct cs_entry_type to;
  if (machine->depth < 1)
    return CS_LOST_CORRUPT;
  struct cs_entry_type from = machine->types[machine->depth - 1];
  if (!cs_machine_operand_type(machine, op, &to))
    return CS_LOST_OPERATION;
  bool keeps_bits = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
  if (!keeps_bits && (from.kind == CS_ENTRY_FLOATING || to.kind == CS_ENTRY_FLOATING) &&
      (from.kind != to.kind || from.size != to.size))
    return CS_LOST_OPERATION;
  if (keeps_bits && from.size != to.size)
    return CS_LOST_OPERATION;
  if (to.kind == CS_ENTRY_INTEGER)
    cs_machine_extend(machine, to);
  machine->depth--;
  return cs_machine_push(machine, to);
}

enum cs_lost cs_machine_load(struct cs_machine *machine, Dwarf_Word size)
{
  if (machine->depth < 1 || size < 1 || size > 8 || machine->types[machine->depth - 1].kind == CS_ENTRY_FLOATING)
    return CS_LOST_CORRUPT;
  if (!cs_machine_keeps_memory(machine))
    return CS_LOST_OPERATION;
  cs_code_load(machine->code, (uint8_t)size, 0, cs_location_cfa_register(machine->context));
  /* The runtime extends what it loads with zeros, as DW_OP_deref_size does. */
  machine->types[machine->depth - 1] = cs_generic_entry;
  return CS_LOST_NOT;
}

enum cs_lost cs_machine_move(struct cs_machine *machine, const Dwarf_Op *op)
{
  struct cs_entry_type *top = machine->types + machine->depth;
  Dwarf_Word index = op->atom == DW_OP_pick ? op->number : op->atom == DW_OP_over ? 1 : 0;
  static const struct cs_entry_type none;
  switch (op->atom) {
  case DW_OP_drop:
    if (machine->depth < 1)
      return CS_LOST_CORRUPT;
    cs_code_add(machine->code, CS_OP_DROP, 0, 0, 0, 0);
    machine->depth--;
    return CS_LOST_NOT;
  case DW_OP_swap:
    if (machine->depth < 2)
      return CS_LOST_CORRUPT;
    cs_code_add(machine->code, CS_OP_SWAP, 0, 0, 0, 0);
    struct cs_entry_type swapped = top[-1];
    top[-1] = top[-2];
    top[-2] = swapped;
    return CS_LOST_NOT;
  case DW_OP_rot:
    if (machine->depth < 3)
      return CS_LOST_CORRUPT;
    cs_code_add(machine->code, CS_OP_ROT, 0, 0, 0, 0);
    struct cs_entry_type first = top[-1];
    top[-1] = top[-2];
    top[-2] = top[-3];
    top[-3] = first;
    return CS_LOST_NOT;
  default:
    if (index >= machine->depth)
      return CS_LOST_CORRUPT;
    cs_code_add(machine->code,
                op->atom == DW_OP_dup    ? CS_OP_DUP
                : op->atom == DW_OP_over ? CS_OP_OVER
                                         : CS_OP_PICK,
                0, 0, 0, op->atom == DW_OP_pick ? (int64_t)index : 0);
    return cs_machine_push(machine, index < machine->depth ? machine->types[machine->depth - 1 - index] : none);
  }
}

/* abs, neg, not. */
static enum cs_lost unary(struct cs_machine *machine, uint8_t op)
{
  if (machine->depth < 1 || machine->types[machine->depth - 1].kind == CS_ENTRY_FLOATING)
    return CS_LOST_OPERATION;
  struct cs_entry_type type = machine->types[machine->depth - 1];
  if (op == CS_OP_ABS && type.kind == CS_ENTRY_INTEGER && !type.is_signed)
    return CS_LOST_NOT;
  cs_code_add(machine->code, op, 0, 0, 0, 0);
  if (type.kind == CS_ENTRY_INTEGER)
    cs_machine_extend(machine, type);
  return CS_LOST_NOT;
}

/* The runtime divides and compares signed 64-bit words, takes remainders of unsigned ones, as DWARF says for the
 * generic type. A typed entry is extended to 64 bits, so this is right for every type but unsigned 8 bytes (and signed
 * remainders). */
static bool is_word_operation_right(uint8_t op, struct cs_entry_type type)
{
  if (type.kind == CS_ENTRY_GENERIC)
    return true;
  switch (op) {
  case CS_OP_MOD:
    return !type.is_signed;
  case CS_OP_DIV:
  case CS_OP_GE:
  case CS_OP_GT:
  case CS_OP_LE:
  case CS_OP_LT:
    return type.is_signed || type.size < 8;
  case CS_OP_SHR:
    return !type.is_signed || type.size == 8;
  case CS_OP_SHRA:
    return type.is_signed;
  default:
    return true;
  }
}

/* LLVM writes untyped constants beside typed values, which DWARF does not allow. Where the low bits of the result
 * depend on the low bits of the operands alone, there is one way to understand it. */
static bool is_typed_by_one(uint8_t op, struct cs_entry_type left, struct cs_entry_type right)
{
  bool is_modular =
      op == CS_OP_PLUS || op == CS_OP_MINUS || op == CS_OP_MUL || op == CS_OP_AND || op == CS_OP_OR || op == CS_OP_XOR;
  return is_modular && ((left.kind == CS_ENTRY_GENERIC && right.kind == CS_ENTRY_INTEGER) ||
                        (left.kind == CS_ENTRY_INTEGER && right.kind == CS_ENTRY_GENERIC));
}

static enum cs_lost binary(struct cs_machine *machine, uint8_t op)
{
  if (machine->depth < 2)
    return CS_LOST_CORRUPT;
  struct cs_entry_type right = machine->types[machine->depth - 1], left = machine->types[machine->depth - 2];
  bool is_shift = op == CS_OP_SHL || op == CS_OP_SHR || op == CS_OP_SHRA;
  bool agree = left.kind == right.kind && left.size == right.size && left.is_signed == right.is_signed;
  if (is_typed_by_one(op, left, right)) {
    agree = true;
    left = left.kind == CS_ENTRY_INTEGER ? left : right;
  }
  if (left.kind == CS_ENTRY_FLOATING || right.kind == CS_ENTRY_FLOATING || (!agree && !is_shift) ||
      !is_word_operation_right(op, left))
    return CS_LOST_OPERATION;
  cs_code_add(machine->code, op, 0, 0, 0, 0);
  machine->depth -= 2;
  bool is_comparison = op >= CS_OP_EQ && op <= CS_OP_NE;
  if (!is_comparison && left.kind == CS_ENTRY_INTEGER)
    cs_machine_extend(machine, left);
  return cs_machine_push(machine, is_comparison ? cs_generic_entry : left);
}

bool cs_machine_arithmetic(struct cs_machine *machine, const Dwarf_Op *op, enum cs_lost *lost)
{
  static const struct {
    uint8_t atom, op, operands;
  } table[] = {
      {DW_OP_abs, CS_OP_ABS, 1},   {DW_OP_neg, CS_OP_NEG, 1},     {DW_OP_not, CS_OP_NOT, 1}, {DW_OP_and, CS_OP_AND, 2},
      {DW_OP_div, CS_OP_DIV, 2},   {DW_OP_minus, CS_OP_MINUS, 2}, {DW_OP_mod, CS_OP_MOD, 2}, {DW_OP_mul, CS_OP_MUL, 2},
      {DW_OP_or, CS_OP_OR, 2},     {DW_OP_plus, CS_OP_PLUS, 2},   {DW_OP_shl, CS_OP_SHL, 2}, {DW_OP_shr, CS_OP_SHR, 2},
      {DW_OP_shra, CS_OP_SHRA, 2}, {DW_OP_xor, CS_OP_XOR, 2},     {DW_OP_eq, CS_OP_EQ, 2},   {DW_OP_ge, CS_OP_GE, 2},
      {DW_OP_gt, CS_OP_GT, 2},     {DW_OP_le, CS_OP_LE, 2},       {DW_OP_lt, CS_OP_LT, 2},   {DW_OP_ne, CS_OP_NE, 2},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].atom == op->atom) {
      *lost = table[i].operands == 1 ? unary(machine, table[i].op) : binary(machine, table[i].op);
      return true;
    }
  return false;
}
