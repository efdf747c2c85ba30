/*
 * Operations that push: constants, addresses, registers, the frame, and what registers held on entry.
 */
#include "symbols/location/expression_machine.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/location/entry_value_copy.h"
#include "symbols/location/sled_location.h"

enum sym_lost sym_machine_push(struct sym_machine *machine, struct sym_stack_type type)
{
  if (machine->depth == FMT_STACK_MAX)
    return SYM_LOST_TOO_LONG;
  machine->types[machine->depth++] = type;
  if (type.kind != SYM_STACK_GENERIC)
    machine->has_typed = true;
  return SYM_LOST_NOT;
}

static enum sym_lost push_constant(struct sym_machine *machine, int64_t value)
{
  sym_code_constant(machine->code, value);
  return sym_machine_push(machine, sym_stack_of_width(SYM_WIDTH_ANY));
}

enum sym_lost sym_machine_cfa(struct sym_machine *machine)
{
  enum sym_lost lost = sym_push_cfa(machine->context, machine->code);
  return lost ? lost : sym_machine_push(machine, sym_stack_generic);
}

enum sym_lost sym_machine_base(struct sym_machine *machine, Dwarf_Word reg, int64_t offset)
{
  if (!sym_is_there_at_entry(machine->context, reg))
    return SYM_LOST_NOT_YET;
  enum sym_lost lost =
      sym_push_register(machine->context, machine->moment, reg > 255 ? 255 : (unsigned)reg, machine->code);
  if (lost)
    return lost;
  sym_code_add_constant(machine->code, offset);
  return sym_machine_push(machine, sym_stack_of_width(SYM_WIDTH_REGISTER));
}

/* How many bits of a base type count. clang converts to integers of any size, tells as many bytes as hold them, and the
 * bits in the name alone: DW_ATE_signed_1 is 0 or -1. */
static uint8_t bits_of(Dwarf_Die *die, Dwarf_Word size)
{
  const char *name = dwarf_diename(die), *bits = name ? strrchr(name, '_') : NULL;
  const bool is_clangs = bits && (strncmp(name, "DW_ATE_signed_", (size_t)(bits - name) + 1) == 0 ||
                                  strncmp(name, "DW_ATE_unsigned_", (size_t)(bits - name) + 1) == 0);
  const unsigned long told = is_clangs ? strtoul(bits + 1, NULL, 10) : 0;
  return (uint8_t)(told && told < size * 8 ? told : size * 8);
}

/* The base type at `die` as an entry type. */
static bool base_type(Dwarf_Die *die, struct sym_stack_type *type)
{
  Dwarf_Attribute attribute;
  Dwarf_Word encoding, size;
  if (dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &attribute), &encoding) != 0 ||
      dwarf_formudata(dwarf_attr(die, DW_AT_byte_size, &attribute), &size) != 0 || size < 1 || size > 8)
    return false;
  *type = (struct sym_stack_type){.kind = SYM_STACK_INTEGER, .size = (uint8_t)size, .bits = bits_of(die, size)};
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
    type->kind = SYM_STACK_FLOATING;
    return true;
  default:
    return false;
  }
}

/* The type operand of a typed operation; operand 0 of convert and reinterpret is the generic type. */
bool sym_machine_operand_type(struct sym_machine *machine, const Dwarf_Op *op, struct sym_stack_type *type)
{
  Dwarf_Die die;
  bool may_be_generic = op->atom == DW_OP_convert || op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_convert ||
                        op->atom == DW_OP_GNU_reinterpret;
  if (may_be_generic && op->number == 0) {
    *type = sym_stack_generic;
    return true;
  }
  return dwarf_getlocation_die(machine->attribute, op, &die) == 0 && base_type(&die, type);
}

/* DW_OP_regval_type, deref_type, const_type: pushing with a type. */
enum sym_lost sym_machine_typed(struct sym_machine *machine, const Dwarf_Op *op)
{
  struct sym_stack_type type;
  if (!sym_machine_operand_type(machine, op, &type))
    return SYM_LOST_OPERATION;
  if (op->atom == DW_OP_const_type || op->atom == DW_OP_GNU_const_type) {
    const uint8_t *block = (const uint8_t *)(uintptr_t)op->number2;
    uint64_t value = 0;
    if (block[0] > 8)
      return SYM_LOST_OPERATION;
    memcpy(&value, block + 1, block[0]);
    sym_code_constant(machine->code, (int64_t)value);
  } else if (op->atom == DW_OP_regval_type || op->atom == DW_OP_GNU_regval_type) {
    if (!sym_is_there_at_entry(machine->context, op->number))
      return SYM_LOST_NOT_YET;
    if (sym_is_vector(machine->context->hook->processor, op->number)) {
      if (machine->moment != SYM_AT_CALL)
        return SYM_LOST_REGISTER;
      sym_code_add(machine->code, FMT_OP_XMM, (uint8_t)(op->number - machine->context->hook->processor->first_vector),
                   0, 0, 0);
    } else {
      enum sym_lost lost = sym_push_register(machine->context, machine->moment,
                                             op->number > 255 ? 255 : (unsigned)op->number, machine->code);
      if (lost)
        return lost;
    }
  } else {
    if (machine->depth < 1 || machine->types[machine->depth - 1].kind == SYM_STACK_FLOATING)
      return SYM_LOST_CORRUPT;
    if (!sym_machine_keeps_memory(machine))
      return SYM_LOST_OPERATION;
    machine->depth--;
    sym_code_load(machine->code, type.size, 0, sym_location_bases(machine->context));
  }
  if (type.kind == SYM_STACK_INTEGER)
    sym_machine_extend(machine, type);
  return sym_machine_push(machine, type);
}

int sym_entry_value_register(Dwarf_Attribute *attribute, const Dwarf_Op *op)
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
enum sym_lost sym_machine_entry_value(struct sym_machine *machine, const Dwarf_Op *op)
{
  const struct sym_frame *frame = machine->context->frame;
  int reg = sym_entry_value_register(machine->attribute, op);
  const struct sym_processor *processor = machine->context->hook->processor;
  if (reg < 0 || reg >= processor->register_count)
    return SYM_LOST_ENTRY_VALUE;
  if (reg == processor->stack_pointer) {
    enum sym_lost lost = sym_machine_cfa(machine);
    sym_code_add_constant(machine->code, -(int64_t)processor->entry_cfa);
    return lost;
  }
  if (!sym_is_callee_saved(processor, (unsigned)reg)) {
    struct sym_code copy = {0};
    if (sym_entry_value_copy(machine->context, (unsigned)reg, &copy) == 8) {
      sym_code_append(machine->code, &copy);
      return sym_machine_push(machine, sym_stack_generic);
    }
    if (reg > 15 || !(machine->context->told >> reg & 1))
      return SYM_LOST_ENTRY_VALUE;
    sym_code_add(machine->code, FMT_OP_ENTRY, (uint8_t)reg, 0, 0, 0);
    return sym_machine_push(machine, sym_stack_generic);
  }
  if (frame->saved[reg].where == SYM_SAVED_REGISTER)
    return sym_machine_base(machine, (Dwarf_Word)reg, 0);
  if (frame->saved[reg].where != SYM_SAVED_MEMORY)
    return SYM_LOST_ENTRY_VALUE;
  enum sym_lost lost = sym_machine_cfa(machine);
  if (!lost)
    sym_code_load(machine->code, 8, frame->saved[reg].offset, sym_location_bases(machine->context));
  return lost;
}

/* DW_OP_addr, addrx, constx and their GNU forms, const*, lit*. */
bool sym_machine_literal(struct sym_machine *machine, const Dwarf_Op *op, enum sym_lost *lost)
{
  Dwarf_Attribute indirect;
  Dwarf_Addr address;
  Dwarf_Word constant;
  switch (op->atom) {
  case DW_OP_addr:
    sym_code_add(machine->code, FMT_OP_ADDRESS, 0, 0, 0, (int64_t)op->number);
    *lost = sym_machine_push(machine, sym_stack_generic);
    return true;
  case DW_OP_addrx:
  case DW_OP_GNU_addr_index:
    if (dwarf_getlocation_attr(machine->attribute, op, &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0) {
      *lost = SYM_LOST_CORRUPT;
      return true;
    }
    sym_code_add(machine->code, FMT_OP_ADDRESS, 0, 0, 0, (int64_t)address);
    *lost = sym_machine_push(machine, sym_stack_generic);
    return true;
  case DW_OP_constx:
  case DW_OP_GNU_const_index:
    *lost = dwarf_getlocation_attr(machine->attribute, op, &indirect) == 0 && dwarf_formudata(&indirect, &constant) == 0
                ? push_constant(machine, (int64_t)constant)
                : SYM_LOST_CORRUPT;
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
