/* Operations that push: constants, addresses, registers, the frame, and what registers held on entry. */
#include "expression_machine.h"

#include <dwarf.h>
#include <string.h>

#include "entry.h"

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

enum cs_lost cs_machine_push(struct cs_machine *machine, struct cs_entry_type type)
{
  if (machine->depth == CS_STACK_MAX)
    return CS_LOST_TOO_LONG;
  machine->types[machine->depth++] = type;
  if (type.kind != CS_ENTRY_GENERIC)
    machine->has_typed = true;
  return CS_LOST_NOT;
}

static enum cs_lost push_constant(struct cs_machine *machine, int64_t value)
{
  cs_code_constant(machine->code, value);
  return cs_machine_push(machine, cs_generic_entry);
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

enum cs_lost cs_machine_cfa(struct cs_machine *machine)
{
  enum cs_lost lost = cs_push_cfa(machine->context, machine->code);
  return lost ? lost : cs_machine_push(machine, cs_generic_entry);
}

enum cs_lost cs_machine_base(struct cs_machine *machine, Dwarf_Word reg, int64_t offset)
{
  enum cs_lost lost =
      cs_push_register(machine->context, machine->moment, reg > 255 ? 255 : (unsigned)reg, machine->code);
  if (lost)
    return lost;
  cs_code_add_constant(machine->code, offset);
  return cs_machine_push(machine, cs_generic_entry);
}

/* DW_OP_fbreg: the frame base is the CFA, a register, or an expression of its own that gives an address. */
enum cs_lost cs_machine_frame_base(struct cs_machine *machine, int64_t offset)
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
      lost = cs_machine_push(machine, cs_generic_entry);
  } else {
    for (size_t i = 0; i < count; i++)
      if (ops[i].atom == DW_OP_fbreg)
        return CS_LOST_CORRUPT;
    struct cs_machine inner = {
        .context = machine->context, .moment = CS_AT_CALL, .attribute = &attribute, .code = machine->code};
    lost = cs_machine_run(&inner, ops, count);
    if (!lost && (inner.depth != 1 || inner.branch_count))
      lost = CS_LOST_OPERATION;
    if (!lost)
      lost = cs_machine_push(machine, cs_generic_entry);
  }
  cs_code_add_constant(machine->code, offset);
  return lost;
}

/* The base type at `die` as an entry type. */
static bool base_type(Dwarf_Die *die, struct cs_entry_type *type)
{
  Dwarf_Attribute attribute;
  Dwarf_Word encoding, size;
  if (dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &attribute), &encoding) != 0 ||
      dwarf_formudata(dwarf_attr(die, DW_AT_byte_size, &attribute), &size) != 0 || size < 1 || size > 8)
    return false;
  *type = (struct cs_entry_type){.kind = CS_ENTRY_INTEGER, .size = (uint8_t)size};
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
    type->kind = CS_ENTRY_FLOATING;
    return true;
  default:
    return false;
  }
}

/* The type operand of a typed operation; operand 0 of convert and reinterpret is the generic type. */
bool cs_machine_operand_type(struct cs_machine *machine, const Dwarf_Op *op, struct cs_entry_type *type)
{
  Dwarf_Die die;
  bool may_be_generic = op->atom == DW_OP_convert || op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_convert ||
                        op->atom == DW_OP_GNU_reinterpret;
  if (may_be_generic && op->number == 0) {
    *type = cs_generic_entry;
    return true;
  }
  return dwarf_getlocation_die(machine->attribute, op, &die) == 0 && base_type(&die, type);
}

/* DW_OP_regval_type, deref_type, const_type: pushing with a type. */
enum cs_lost cs_machine_typed(struct cs_machine *machine, const Dwarf_Op *op)
{
  struct cs_entry_type type;
  if (!cs_machine_operand_type(machine, op, &type))
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
    if (machine->depth < 1 || machine->types[machine->depth - 1].kind == CS_ENTRY_FLOATING)
      return CS_LOST_CORRUPT;
    if (!cs_machine_keeps_memory(machine))
      return CS_LOST_OPERATION;
    machine->depth--;
    cs_code_load(machine->code, type.size, 0, cs_location_cfa_register(machine->context));
  }
  if (type.kind == CS_ENTRY_INTEGER)
    cs_machine_extend(machine, type);
  return cs_machine_push(machine, type);
}

int cs_entry_register(Dwarf_Attribute *attribute, const Dwarf_Op *op)
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
enum cs_lost cs_machine_entry_value(struct cs_machine *machine, const Dwarf_Op *op)
{
  const struct cs_frame *frame = machine->context->frame;
  int reg = cs_entry_register(machine->attribute, op);
  if (reg < 0 || reg > CS_R15)
    return CS_LOST_ENTRY_VALUE;
  if (reg == CS_RSP) {
    enum cs_lost lost = cs_machine_cfa(machine);
    cs_code_add_constant(machine->code, -8);
    return lost;
  }
  if (!cs_is_callee_saved((unsigned)reg)) {
    struct cs_code copy = {0};
    if (cs_entry_copy(machine->context, (unsigned)reg, &copy) == 8) {
      cs_code_append(machine->code, &copy);
      return cs_machine_push(machine, cs_generic_entry);
    }
    if (!(machine->context->told >> reg & 1))
      return CS_LOST_ENTRY_VALUE;
    cs_code_add(machine->code, CS_OP_ENTRY, (uint8_t)reg, 0, 0, 0);
    return cs_machine_push(machine, cs_generic_entry);
  }
  if (frame->saved[reg].where == CS_SAVED_REGISTER)
    return cs_machine_base(machine, (Dwarf_Word)reg, 0);
  if (frame->saved[reg].where != CS_SAVED_MEMORY)
    return CS_LOST_ENTRY_VALUE;
  enum cs_lost lost = cs_machine_cfa(machine);
  if (!lost)
    cs_code_load(machine->code, 8, frame->saved[reg].offset, cs_location_cfa_register(machine->context));
  return lost;
}

/* DW_OP_addr, addrx, constx and their GNU forms, const*, lit*. */
bool cs_machine_literal(struct cs_machine *machine, const Dwarf_Op *op, enum cs_lost *lost)
{
  Dwarf_Attribute indirect;
  Dwarf_Addr address;
  Dwarf_Word constant;
  switch (op->atom) {
  case DW_OP_addr:
    cs_code_add(machine->code, CS_OP_ADDRESS, 0, 0, 0, (int64_t)op->number);
    *lost = cs_machine_push(machine, cs_generic_entry);
    return true;
  case DW_OP_addrx:
  case DW_OP_GNU_addr_index:
    if (dwarf_getlocation_attr(machine->attribute, op, &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0) {
      *lost = CS_LOST_CORRUPT;
      return true;
    }
    cs_code_add(machine->code, CS_OP_ADDRESS, 0, 0, 0, (int64_t)address);
    *lost = cs_machine_push(machine, cs_generic_entry);
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
