#include "expression.h"

#include <dwarf.h>
#include <string.h>

#include "entry.h"
#include "flow.h"
#include "spill.h"

/* What the compiler knows of one stack entry. DWARF's generic type is a 64-bit word whose signedness each operation
 * chooses; typed entries are kept extended to 64 bits by their type. */
struct entry_type {
  enum { GENERIC, INTEGER, FLOATING } kind;
  uint8_t size;
  bool is_signed;
};

enum { BRANCHES_MAX = 16 };

struct machine {
  const struct cs_location_context *context;
  enum cs_moment moment;
  Dwarf_Attribute *attribute;
  struct cs_code *code;
  struct entry_type types[CS_STACK_MAX];
  unsigned depth;
  bool has_typed; /* an entry was not generic */
  struct {
    uint16_t at; /* the branch op */
    bool has_landed;
    Dwarf_Word target; /* byte offset in the expression */
  } branches[BRANCHES_MAX];
  unsigned branch_count;
};

void cs_location_lose(struct cs_location *location, enum cs_lost lost)
{
  location->kind = CS_LOCATION_LOST;
  location->lost = (uint8_t)lost;
}

enum cs_lost cs_push_register(const struct cs_location_context *context, enum cs_moment moment, unsigned reg,
                              struct cs_code *code)
{
  if (moment == CS_LATER)
    return cs_flow_push(context->flow, reg, code) == 8 ? CS_LOST_NOT : CS_LOST_REGISTER;
  /* rsi and rdi hold the hook's own arguments. */
  if (reg > CS_R15 || reg == CS_RSI || reg == CS_RDI)
    return CS_LOST_REGISTER;
  if (moment == CS_AFTER_CALL && !cs_is_callee_saved(reg) && reg != CS_RSP)
    return CS_LOST_REGISTER;
  bool is_volatile = context->is_lazy && (reg == CS_RAX || reg == CS_R10 || reg == CS_R11);
  cs_code_add(code, CS_OP_REG, (uint8_t)reg, 0, is_volatile ? CS_OPF_VOLATILE : 0, 0);
  return CS_LOST_NOT;
}

static enum cs_lost push(struct machine *machine, struct entry_type type)
{
  if (machine->depth == CS_STACK_MAX)
    return CS_LOST_TOO_LONG;
  machine->types[machine->depth++] = type;
  if (type.kind != GENERIC)
    machine->has_typed = true;
  return CS_LOST_NOT;
}

static const struct entry_type generic = {.kind = GENERIC, .size = 8};

static enum cs_lost push_constant(struct machine *machine, int64_t value)
{
  cs_code_constant(machine->code, value);
  return push(machine, generic);
}

enum cs_lost cs_push_cfa(const struct cs_location_context *context, struct cs_code *code)
{
  const struct cs_frame *frame = context->frame;
  if (frame->cfa_kind == CS_CFA_UNKNOWN)
    return CS_LOST_CORRUPT;
  if (frame->cfa_kind == CS_CFA_MEMORY) {
    cs_code_add(code, CS_OP_CFA, 0, 0, 0, 0);
    return CS_LOST_NOT;
  }
  /* The CFA is the same before and after the hook's call, and its register is read before. */
  enum cs_lost lost = cs_push_register(context, CS_AT_CALL, frame->cfa_register, code);
  if (!lost)
    cs_code_add_constant(code, frame->cfa_offset);
  return lost;
}

static enum cs_lost push_cfa(struct machine *machine)
{
  enum cs_lost lost = cs_push_cfa(machine->context, machine->code);
  return lost ? lost : push(machine, generic);
}

/* A register as an address: breg. */
static enum cs_lost push_base(struct machine *machine, Dwarf_Word reg, int64_t offset)
{
  enum cs_lost lost =
      cs_push_register(machine->context, machine->moment, reg > 255 ? 255 : (unsigned)reg, machine->code);
  if (lost)
    return lost;
  cs_code_add_constant(machine->code, offset);
  return push(machine, generic);
}

static enum cs_lost run(struct machine *machine, const Dwarf_Op *ops, size_t count);

/* DW_OP_fbreg: the frame base is the CFA, a register, or an expression of its own that gives an address. */
static enum cs_lost push_frame_base(struct machine *machine, int64_t offset)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  Dwarf_Die physical = *machine->context->physical;
  if (!dwarf_attr_integrate(&physical, DW_AT_frame_base, &attribute) ||
      dwarf_getlocation_addr(&attribute, machine->context->pc - 1, &ops, &count, 1) != 1 || count == 0)
    return CS_LOST_CORRUPT;
  enum cs_lost lost;
  if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
    /* The frame's own register is the same before and after the call. */
    lost = cs_push_register(machine->context, CS_AT_CALL, (unsigned)(ops[0].atom - DW_OP_reg0), machine->code);
    if (!lost)
      lost = push(machine, generic);
  } else {
    for (size_t i = 0; i < count; i++)
      if (ops[i].atom == DW_OP_fbreg)
        return CS_LOST_CORRUPT;
    struct machine inner = {
        .context = machine->context, .moment = CS_AT_CALL, .attribute = &attribute, .code = machine->code};
    lost = run(&inner, ops, count);
    if (!lost && (inner.depth != 1 || inner.branch_count))
      lost = CS_LOST_OPERATION;
    if (!lost)
      lost = push(machine, generic);
  }
  cs_code_add_constant(machine->code, offset);
  return lost;
}

/* The base type at `die` as an entry type. */
static bool base_type(Dwarf_Die *die, struct entry_type *type)
{
  Dwarf_Attribute attribute;
  Dwarf_Word encoding, size;
  if (dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &attribute), &encoding) != 0 ||
      dwarf_formudata(dwarf_attr(die, DW_AT_byte_size, &attribute), &size) != 0 || size < 1 || size > 8)
    return false;
  *type = (struct entry_type){.kind = INTEGER, .size = (uint8_t)size};
  switch (encoding) {
  case DW_ATE_signed:
  case DW_ATE_signed_char:
    type->is_signed = true;
    return true;
  case DW_ATE_unsigned:
  case DW_ATE_unsigned_char:
  case DW_ATE_boolean:
  case DW_ATE_address:
  case DW_ATE_UTF:
    return true;
  case DW_ATE_float:
    type->kind = FLOATING;
    return true;
  default:
    return false;
  }
}

/* The type operand of a typed operation; operand 0 of convert and reinterpret is the generic type. */
static bool operand_type(struct machine *machine, const Dwarf_Op *op, struct entry_type *type)
{
  Dwarf_Die die;
  bool may_be_generic = op->atom == DW_OP_convert || op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_convert ||
                        op->atom == DW_OP_GNU_reinterpret;
  if (may_be_generic && op->number == 0) {
    *type = generic;
    return true;
  }
  return dwarf_getlocation_die(machine->attribute, op, &die) == 0 && base_type(&die, type);
}

static void extend(struct machine *machine, struct entry_type type)
{
  if (type.size < 8)
    cs_code_add(machine->code, CS_OP_EXTEND, 0, type.size, type.is_signed ? CS_OPF_SIGNED : 0, 0);
}

/* Loads inside of an expression are done at the hook. */
static bool is_memory_unchanged(const struct machine *machine)
{
  return machine->moment != CS_LATER || machine->context->flow->store_count == 0;
}

/* DW_OP_regval_type, deref_type, const_type: pushing with a type. */
static enum cs_lost push_typed(struct machine *machine, const Dwarf_Op *op)
{
  struct entry_type type;
  if (!operand_type(machine, op, &type))
    return CS_LOST_OPERATION;
  if (op->atom == DW_OP_const_type || op->atom == DW_OP_GNU_const_type) {
    const uint8_t *block = (const uint8_t *)(uintptr_t)op->number2;
    uint64_t value = 0;
    if (block[0] > 8)
      return CS_LOST_OPERATION;
    memcpy(&value, block + 1, block[0]);
    cs_code_constant(machine->code, (int64_t)value);
  } else if (op->atom == DW_OP_regval_type || op->atom == DW_OP_GNU_regval_type) {
    if (op->number >= CS_XMM0 && op->number <= CS_XMM15) {
      if (machine->moment != CS_AT_CALL)
        return CS_LOST_REGISTER;
      cs_code_add(machine->code, CS_OP_XMM, (uint8_t)(op->number - CS_XMM0), 0, 0, 0);
    } else {
      enum cs_lost lost = cs_push_register(machine->context, machine->moment,
                                           op->number > 255 ? 255 : (unsigned)op->number, machine->code);
      if (lost)
        return lost;
    }
  } else {
    if (machine->depth < 1 || machine->types[machine->depth - 1].kind == FLOATING)
      return CS_LOST_CORRUPT;
    if (!is_memory_unchanged(machine))
      return CS_LOST_OPERATION;
    machine->depth--;
    cs_code_load(machine->code, type.size, 0, cs_location_cfa_register(machine->context));
  }
  if (type.kind == INTEGER)
    extend(machine, type);
  return push(machine, type);
}

/* Between integers a conversion cuts or extends; to and from floating point only a change of type of the same bits
 * (reinterpret) can be followed. */
static enum cs_lost convert(struct machine *machine, const Dwarf_Op *op)
{
  struct entry_type to;
  if (machine->depth < 1)
    return CS_LOST_CORRUPT;
  struct entry_type from = machine->types[machine->depth - 1];
  if (!operand_type(machine, op, &to))
    return CS_LOST_OPERATION;
  bool keeps_bits = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
  if (!keeps_bits && (from.kind == FLOATING || to.kind == FLOATING) && (from.kind != to.kind || from.size != to.size))
    return CS_LOST_OPERATION;
  if (keeps_bits && from.size != to.size)
    return CS_LOST_OPERATION;
  if (to.kind == INTEGER)
    extend(machine, to);
  machine->depth--;
  return push(machine, to);
}

static enum cs_lost load(struct machine *machine, Dwarf_Word size)
{
  if (machine->depth < 1 || size < 1 || size > 8 || machine->types[machine->depth - 1].kind == FLOATING)
    return CS_LOST_CORRUPT;
  if (!is_memory_unchanged(machine))
    return CS_LOST_OPERATION;
  cs_code_load(machine->code, (uint8_t)size, 0, cs_location_cfa_register(machine->context));
  /* The runtime extends what it loads with zeros, as DW_OP_deref_size does. */
  machine->types[machine->depth - 1] = generic;
  return CS_LOST_NOT;
}

/* The register of an entry value's expression, or -1. */
static int entry_register(Dwarf_Attribute *attribute, const Dwarf_Op *op)
{
  Dwarf_Attribute inner;
  Dwarf_Op *ops;
  size_t count;
  if (dwarf_getlocation_attr(attribute, op, &inner) != 0 || dwarf_getlocation(&inner, &ops, &count) != 0 ||
      count != 1 || ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31)
    return -1;
  return ops[0].atom - DW_OP_reg0;
}

/* What a register held on entry: the stack pointer follows from the CFA, a callee-saved register is still there or was
 * saved, and an argument register is asked of the caller's call site at run time. */
static enum cs_lost push_entry_value(struct machine *machine, const Dwarf_Op *op)
{
  const struct cs_frame *frame = machine->context->frame;
  int reg = entry_register(machine->attribute, op);
  if (reg < 0 || reg > CS_R15)
    return CS_LOST_ENTRY_VALUE;
  if (reg == CS_RSP) {
    enum cs_lost lost = push_cfa(machine);
    cs_code_add_constant(machine->code, -8);
    return lost;
  }
  if (!cs_is_callee_saved((unsigned)reg)) {
    struct cs_code copy = {0};
    if (cs_entry_copy(machine->context, (unsigned)reg, &copy) == 8) {
      cs_code_append(machine->code, &copy);
      return push(machine, generic);
    }
    if (!(machine->context->told >> reg & 1))
      return CS_LOST_ENTRY_VALUE;
    cs_code_add(machine->code, CS_OP_ENTRY, (uint8_t)reg, 0, 0, 0);
    return push(machine, generic);
  }
  if (frame->saved[reg].where == CS_SAVED_REGISTER)
    return push_base(machine, (Dwarf_Word)reg, 0);
  if (frame->saved[reg].where != CS_SAVED_MEMORY)
    return CS_LOST_ENTRY_VALUE;
  enum cs_lost lost = push_cfa(machine);
  if (!lost)
    cs_code_load(machine->code, 8, frame->saved[reg].offset, cs_location_cfa_register(machine->context));
  return lost;
}

/* DW_OP_addr, addrx, constx and their GNU forms, const*, lit*. */
static bool push_literal(struct machine *machine, const Dwarf_Op *op, enum cs_lost *lost)
{
  Dwarf_Attribute indirect;
  Dwarf_Addr address;
  Dwarf_Word constant;
  switch (op->atom) {
  case DW_OP_addr:
    cs_code_add(machine->code, CS_OP_ADDRESS, 0, 0, 0, (int64_t)op->number);
    *lost = push(machine, generic);
    return true;
  case DW_OP_addrx:
  case DW_OP_GNU_addr_index:
    if (dwarf_getlocation_attr(machine->attribute, op, &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0) {
      *lost = CS_LOST_CORRUPT;
      return true;
    }
    cs_code_add(machine->code, CS_OP_ADDRESS, 0, 0, 0, (int64_t)address);
    *lost = push(machine, generic);
    return true;
  case DW_OP_constx:
  case DW_OP_GNU_const_index:
    *lost = dwarf_getlocation_attr(machine->attribute, op, &indirect) == 0 && dwarf_formudata(&indirect, &constant) == 0
                ? push_constant(machine, (int64_t)constant)
                : CS_LOST_CORRUPT;
    return true;
  case DW_OP_const1u:
  case DW_OP_const1s:
  case DW_OP_const2u:
  case DW_OP_const2s:
  case DW_OP_const4u:
  case DW_OP_const4s:
  case DW_OP_const8u:
  case DW_OP_const8s:
  case DW_OP_constu:
  case DW_OP_consts:
    *lost = push_constant(machine, (int64_t)op->number);
    return true;
  default:
    if (op->atom < DW_OP_lit0 || op->atom > DW_OP_lit31)
      return false;
    *lost = push_constant(machine, op->atom - DW_OP_lit0);
    return true;
  }
}

static enum cs_lost move_entries(struct machine *machine, const Dwarf_Op *op)
{
  struct entry_type *top = machine->types + machine->depth;
  Dwarf_Word index = op->atom == DW_OP_pick ? op->number : op->atom == DW_OP_over ? 1 : 0;
  static const struct entry_type none;
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
    struct entry_type swapped = top[-1];
    top[-1] = top[-2];
    top[-2] = swapped;
    return CS_LOST_NOT;
  case DW_OP_rot:
    if (machine->depth < 3)
      return CS_LOST_CORRUPT;
    cs_code_add(machine->code, CS_OP_ROT, 0, 0, 0, 0);
    struct entry_type first = top[-1];
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
    return push(machine, index < machine->depth ? machine->types[machine->depth - 1 - index] : none);
  }
}

/* abs, neg, not. */
static enum cs_lost unary(struct machine *machine, uint8_t op)
{
  if (machine->depth < 1 || machine->types[machine->depth - 1].kind == FLOATING)
    return CS_LOST_OPERATION;
  struct entry_type type = machine->types[machine->depth - 1];
  if (op == CS_OP_ABS && type.kind == INTEGER && !type.is_signed)
    return CS_LOST_NOT;
  cs_code_add(machine->code, op, 0, 0, 0, 0);
  if (type.kind == INTEGER)
    extend(machine, type);
  return CS_LOST_NOT;
}

/* The runtime divides and compares signed 64-bit words, takes remainders of unsigned ones, as DWARF says for the
 * generic type. A typed entry is extended to 64 bits, so this is right for every type but unsigned 8 bytes (and signed
 * remainders). */
static bool is_word_operation_right(uint8_t op, struct entry_type type)
{
  if (type.kind == GENERIC)
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
static bool is_typed_by_one(uint8_t op, struct entry_type left, struct entry_type right)
{
  bool is_modular =
      op == CS_OP_PLUS || op == CS_OP_MINUS || op == CS_OP_MUL || op == CS_OP_AND || op == CS_OP_OR || op == CS_OP_XOR;
  return is_modular &&
         ((left.kind == GENERIC && right.kind == INTEGER) || (left.kind == INTEGER && right.kind == GENERIC));
}

static enum cs_lost binary(struct machine *machine, uint8_t op)
{
  if (machine->depth < 2)
    return CS_LOST_CORRUPT;
  struct entry_type right = machine->types[machine->depth - 1], left = machine->types[machine->depth - 2];
  bool is_shift = op == CS_OP_SHL || op == CS_OP_SHR || op == CS_OP_SHRA;
  bool agree = left.kind == right.kind && left.size == right.size && left.is_signed == right.is_signed;
  if (is_typed_by_one(op, left, right)) {
    agree = true;
    left = left.kind == INTEGER ? left : right;
  }
  if (left.kind == FLOATING || right.kind == FLOATING || (!agree && !is_shift) || !is_word_operation_right(op, left))
    return CS_LOST_OPERATION;
  cs_code_add(machine->code, op, 0, 0, 0, 0);
  machine->depth -= 2;
  bool is_comparison = op >= CS_OP_EQ && op <= CS_OP_NE;
  if (!is_comparison && left.kind == INTEGER)
    extend(machine, left);
  return push(machine, is_comparison ? generic : left);
}

static bool arithmetic(struct machine *machine, const Dwarf_Op *op, enum cs_lost *lost)
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

/* DW_OP_skip and bra; backward ones would be loops, which capture programs do not have. */
static enum cs_lost branch(struct machine *machine, const Dwarf_Op *op)
{
  int16_t distance = (int16_t)op->number;
  if (distance < 0 || machine->branch_count == BRANCHES_MAX)
    return CS_LOST_OPERATION;
  if (op->atom == DW_OP_bra) {
    if (machine->depth < 1)
      return CS_LOST_CORRUPT;
    machine->depth--;
  }
  machine->branches[machine->branch_count].at = machine->code->count;
  machine->branches[machine->branch_count].target = op->offset + 3 + (Dwarf_Word)distance;
  machine->branch_count++;
  cs_code_add(machine->code, op->atom == DW_OP_bra ? CS_OP_BRANCH : CS_OP_SKIP, 0, 0, 0, 0);
  machine->code->barrier = machine->code->count;
  return CS_LOST_NOT;
}

static enum cs_lost thread_local_address(struct machine *machine)
{
  struct cs_code *code = machine->code;
  if (machine->depth < 1 || code->count == 0 || code->ops[code->count - 1].code != CS_OP_CONST)
    return CS_LOST_OPERATION;
  code->ops[code->count - 1].code = CS_OP_TLS;
  return CS_LOST_NOT;
}

static enum cs_lost step(struct machine *machine, const Dwarf_Op *op)
{
  enum cs_lost lost;
  if (push_literal(machine, op, &lost) || arithmetic(machine, op, &lost))
    return lost;
  if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
    return push_base(machine, (Dwarf_Word)(op->atom - DW_OP_breg0), (int64_t)op->number);
  switch (op->atom) {
  case DW_OP_nop:
    return CS_LOST_NOT;
  case DW_OP_bregx:
    return push_base(machine, op->number, (int64_t)op->number2);
  case DW_OP_fbreg:
    return push_frame_base(machine, (int64_t)op->number);
  case DW_OP_call_frame_cfa:
    return push_cfa(machine);
  case DW_OP_plus_uconst:
    if (machine->depth < 1 || machine->types[machine->depth - 1].kind == FLOATING)
      return CS_LOST_CORRUPT;
    cs_code_add_constant(machine->code, (int64_t)op->number);
    if (machine->types[machine->depth - 1].kind == INTEGER)
      extend(machine, machine->types[machine->depth - 1]);
    return CS_LOST_NOT;
  case DW_OP_deref:
    return load(machine, 8);
  case DW_OP_deref_size:
    return load(machine, op->number);
  case DW_OP_dup:
  case DW_OP_drop:
  case DW_OP_over:
  case DW_OP_pick:
  case DW_OP_swap:
  case DW_OP_rot:
    return move_entries(machine, op);
  case DW_OP_skip:
  case DW_OP_bra:
    return branch(machine, op);
  case DW_OP_entry_value:
  case DW_OP_GNU_entry_value:
    return push_entry_value(machine, op);
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address:
    return thread_local_address(machine);
  case DW_OP_const_type:
  case DW_OP_GNU_const_type:
  case DW_OP_regval_type:
  case DW_OP_GNU_regval_type:
  case DW_OP_deref_type:
  case DW_OP_GNU_deref_type:
    return push_typed(machine, op);
  case DW_OP_convert:
  case DW_OP_GNU_convert:
  case DW_OP_reinterpret:
  case DW_OP_GNU_reinterpret:
    return convert(machine, op);
  default:
    return CS_LOST_OPERATION;
  }
}

/* Gives every branch that leads to byte `offset` the op that comes next. */
static void land(struct machine *machine, Dwarf_Word offset)
{
  for (unsigned i = 0; i < machine->branch_count; i++)
    if (machine->branches[i].target == offset) {
      struct cs_op *op = &machine->code->ops[machine->branches[i].at];
      op->imm = machine->code->count - machine->branches[i].at - 1;
      machine->branches[i].has_landed = true;
      machine->code->barrier = machine->code->count;
    }
}

static enum cs_lost run(struct machine *machine, const Dwarf_Op *ops, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    land(machine, ops[i].offset);
    enum cs_lost lost = step(machine, &ops[i]);
    if (lost)
      return lost;
    if (machine->code->too_long)
      return CS_LOST_TOO_LONG;
  }
  return CS_LOST_NOT;
}

/* The first operation of a sum with a spilled register, with the load that clang leaves out. */
static enum cs_lost load_spilled(struct machine *machine, const Dwarf_Op *ops, size_t steps)
{
  const struct cs_location_context *context = machine->context;
  unsigned base = (unsigned)(ops[0].atom - DW_OP_breg0);
  if (machine->moment == CS_LATER || ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_breg31)
    return CS_LOST_FRAME_NUMBER;
  for (size_t i = 1; i < steps; i++)
    if ((ops[i].atom >= DW_OP_breg0 && ops[i].atom <= DW_OP_breg31) || ops[i].atom == DW_OP_fbreg ||
        ops[i].atom == DW_OP_call_frame_cfa)
      return CS_LOST_FRAME_NUMBER;
  uint8_t size = cs_spill_size(context->spills, context->physical, context->frame, base, (int64_t)ops[0].number);
  enum cs_lost lost = size ? run(machine, ops, 1) : CS_LOST_FRAME_NUMBER;
  if (!lost)
    cs_code_load(machine->code, size, 0, cs_location_cfa_register(context));
  return lost;
}

/* The description of a value or an address: stack operations, and stack_value at the end of those that give a value. */
static void computed(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Attribute *attribute,
                     const Dwarf_Op *ops, size_t count, struct cs_location *location)
{
  struct machine machine = {.context = context, .moment = moment, .attribute = attribute, .code = &location->code};
  bool is_value = ops[count - 1].atom == DW_OP_stack_value;
  size_t steps = is_value ? count - 1 : count;
  bool is_spilled = context->is_spilled && is_value && steps > 1;
  enum cs_lost lost = is_spilled ? load_spilled(&machine, ops, steps) : CS_LOST_NOT;
  if (!lost)
    lost = run(&machine, ops + is_spilled, steps - is_spilled);
  if (lost) {
    cs_location_lose(location, lost);
    return;
  }
  /* A branch may lead past the last operation: to stack_value, or to the end, whose offset no operation has. */
  if (is_value)
    land(&machine, ops[count - 1].offset);
  for (unsigned i = 0; i < machine.branch_count; i++)
    if (!machine.branches[i].has_landed)
      lost = CS_LOST_OPERATION;
  if (machine.branch_count && machine.has_typed)
    lost = CS_LOST_OPERATION;
  if (machine.depth < 1)
    lost = CS_LOST_CORRUPT;
  if (lost)
    cs_location_lose(location, lost);
  else
    location->kind = is_value ? CS_LOCATION_VALUE : CS_LOCATION_MEMORY;
  location->is_doubtful = steps > 1 && cs_location_is_frame_address(context, &location->code);
}

static void in_register(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Word reg,
                        struct cs_location *location)
{
  location->reg = (uint8_t)(reg > 255 ? 255 : reg);
  if (moment == CS_LATER) {
    location->known = cs_flow_push(context->flow, location->reg, &location->code);
    location->kind = CS_LOCATION_VALUE;
    if (location->known == 0)
      cs_location_lose(location, CS_LOST_REGISTER);
    return;
  }
  if (reg >= CS_XMM0 && reg <= CS_XMM15 && moment == CS_AT_CALL) {
    location->kind = CS_LOCATION_VECTOR;
    return;
  }
  enum cs_lost lost = cs_push_register(context, moment, location->reg, &location->code);
  if (lost)
    cs_location_lose(location, lost);
  else
    location->kind = CS_LOCATION_REGISTER;
}

/* The whole value is a register's on entry, of which the low bytes may be enough. */
static bool is_entry_value(const Dwarf_Op *ops, size_t count)
{
  return (count == 1 || (count == 2 && ops[1].atom == DW_OP_stack_value)) &&
         (ops[0].atom == DW_OP_entry_value || ops[0].atom == DW_OP_GNU_entry_value);
}

static bool entry_copy(const struct cs_location_context *context, Dwarf_Attribute *attribute, const Dwarf_Op *op,
                       uint64_t size, struct cs_location *location)
{
  int reg = entry_register(attribute, op);
  if (reg < 0 || reg > CS_R15 || reg == CS_RSP || cs_is_callee_saved((unsigned)reg))
    return false;
  struct cs_code copy = {0};
  uint8_t known = cs_entry_copy(context, (unsigned)reg, &copy);
  if (known == 0 || known < size)
    return false;
  location->kind = CS_LOCATION_VALUE;
  location->known = known;
  location->code = copy;
  return true;
}

static void implicit_value(Dwarf_Attribute *attribute, const Dwarf_Op *op, struct cs_location *location)
{
  Dwarf_Block block;
  if (dwarf_getlocation_implicit_value(attribute, op, &block) != 0) {
    cs_location_lose(location, CS_LOST_CORRUPT);
    return;
  }
  location->kind = CS_LOCATION_BYTES;
  location->bytes = block.data;
  location->byte_count = block.length;
}

static void implicit_pointer(Dwarf_Attribute *attribute, const Dwarf_Op *op, struct cs_location *location)
{
  if (dwarf_getlocation_die(attribute, op, &location->die) != 0) {
    cs_location_lose(location, CS_LOST_CORRUPT);
    return;
  }
  location->kind = CS_LOCATION_POINTER;
  location->target_offset = (int64_t)op->number2;
}

void cs_expression(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Attribute *attribute,
                   const Dwarf_Op *ops, size_t count, uint64_t size, struct cs_location *location)
{
  cs_code_clear(&location->code);
  location->inner = 0;
  location->known = 8;
  location->is_doubtful = location->is_moved = false;
  if (count == 0) {
    cs_location_lose(location, CS_LOST_EMPTY);
    return;
  }
  bool is_single = count == 1;
  if (is_entry_value(ops, count) && entry_copy(context, attribute, &ops[0], size, location))
    return;
  if (is_single && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
    in_register(context, moment, (Dwarf_Word)(ops[0].atom - DW_OP_reg0), location);
  else if (is_single && ops[0].atom == DW_OP_regx)
    in_register(context, moment, ops[0].number, location);
  else if (is_single && ops[0].atom == DW_OP_implicit_value)
    implicit_value(attribute, &ops[0], location);
  else if (is_single && (ops[0].atom == DW_OP_implicit_pointer || ops[0].atom == DW_OP_GNU_implicit_pointer))
    implicit_pointer(attribute, &ops[0], location);
  else
    computed(context, moment, attribute, ops, count, location);
}
