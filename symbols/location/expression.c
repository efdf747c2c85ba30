/*
 * One simple DWARF location description made into capture ops: its operations, one after another.
 */
#include "symbols/location/expression.h"

#include <dwarf.h>

#include "symbols/flow/flow.h"
#include "symbols/flow/spill.h"
#include "symbols/location/entry_value_copy.h"
#include "symbols/location/expression_machine.h"
#include "symbols/location/location_list.h"
#include "symbols/location/sled_location.h"

/* DW_OP_skip and bra; backward ones would be loops, which capture programs do not have. */
static enum sym_lost branch(struct sym_machine *machine, const Dwarf_Op *op)
{
  int16_t distance = (int16_t)op->number;
  if (distance < 0 || machine->branch_count == SYM_BRANCHES_MAX)
    return SYM_LOST_OPERATION;
  if (op->atom == DW_OP_bra) {
    if (machine->depth < 1)
      return SYM_LOST_CORRUPT;
    machine->depth--;
  }
  machine->branches[machine->branch_count].at = machine->code->count;
  machine->branches[machine->branch_count].target = op->offset + 3 + (Dwarf_Word)distance;
  machine->branch_count++;
  sym_code_add(machine->code, op->atom == DW_OP_bra ? FMT_OP_BRANCH : FMT_OP_SKIP, 0, 0, 0, 0);
  machine->code->barrier = machine->code->count;
  return SYM_LOST_NOT;
}

static enum sym_lost thread_local_address(struct sym_machine *machine)
{
  struct sym_code *code = machine->code;
  if (machine->depth < 1 || code->count == 0 || code->ops[code->count - 1].code != FMT_OP_CONST)
    return SYM_LOST_OPERATION;
  code->ops[code->count - 1].code = FMT_OP_TLS;
  return SYM_LOST_NOT;
}

static enum sym_lost run(struct sym_machine *machine, const Dwarf_Op *ops, size_t count);

/* Makes one op of a constant that was added to an address: clang 19 writes a frame base so. */
static void fold_sum(struct sym_code *code)
{
  if (code->count < code->barrier + 3u || code->ops[code->count - 1].code != FMT_OP_PLUS ||
      code->ops[code->count - 2].code != FMT_OP_CONST)
    return;
  const int64_t added = code->ops[code->count - 2].imm;
  code->count = (uint16_t)(code->count - 2);
  sym_code_add_constant(code, added);
}

/* DW_OP_fbreg: the frame base is the CFA, a register, or an expression of its own that gives an address. */
static enum sym_lost frame_base(struct sym_machine *machine, int64_t offset)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  Dwarf_Die physical = *machine->context->physical;
  if (!dwarf_attr_integrate(&physical, DW_AT_frame_base, &attribute) ||
      sym_location_list_at(&attribute, machine->context->pc - 1, &ops, &count, 1) != 1 || count == 0)
    return SYM_LOST_CORRUPT;
  enum sym_lost lost;
  if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
    if (machine->context->sled_end)
      return SYM_LOST_NOT_YET;
    /* The frame's own register is the same before and after the call. */
    lost = sym_push_register(machine->context, SYM_AT_CALL, (unsigned)(ops[0].atom - DW_OP_reg0), machine->code);
    if (!lost)
      lost = sym_machine_push(machine, sym_stack_generic);
  } else {
    for (size_t i = 0; i < count; i++)
      if (ops[i].atom == DW_OP_fbreg)
        return SYM_LOST_CORRUPT;
    struct sym_machine inner = {
        .context = machine->context, .moment = SYM_AT_CALL, .attribute = &attribute, .code = machine->code};
    lost = run(&inner, ops, count);
    if (!lost && (inner.depth != 1 || inner.branch_count))
      lost = SYM_LOST_OPERATION;
    if (!lost) {
      fold_sum(machine->code);
      lost = sym_machine_push(machine, sym_stack_generic);
    }
  }
  sym_code_add_constant(machine->code, offset);
  return lost;
}

static enum sym_lost step(struct sym_machine *machine, const Dwarf_Op *op)
{
  enum sym_lost lost;
  if (sym_machine_literal(machine, op, &lost) || sym_machine_arithmetic(machine, op, &lost))
    return lost;
  if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
    return sym_machine_base(machine, (Dwarf_Word)(op->atom - DW_OP_breg0), (int64_t)op->number);
  switch (op->atom) {
  case DW_OP_nop:
    return SYM_LOST_NOT;
  case DW_OP_bregx:
    return sym_machine_base(machine, op->number, (int64_t)op->number2);
  case DW_OP_fbreg:
    return frame_base(machine, (int64_t)op->number);
  case DW_OP_call_frame_cfa:
    return sym_machine_cfa(machine);
  case DW_OP_plus_uconst:
    if (machine->depth < 1 || machine->types[machine->depth - 1].kind == SYM_STACK_FLOATING)
      return SYM_LOST_CORRUPT;
    sym_code_add_constant(machine->code, (int64_t)op->number);
    if (machine->types[machine->depth - 1].kind == SYM_STACK_INTEGER)
      sym_machine_extend(machine, machine->types[machine->depth - 1]);
    return SYM_LOST_NOT;
  case DW_OP_deref:
    return sym_machine_load(machine, 8);
  case DW_OP_deref_size:
    return sym_machine_load(machine, op->number);
  case DW_OP_dup:
  case DW_OP_drop:
  case DW_OP_over:
  case DW_OP_pick:
  case DW_OP_swap:
  case DW_OP_rot:
    return sym_machine_move(machine, op);
  case DW_OP_skip:
  case DW_OP_bra:
    return branch(machine, op);
  case DW_OP_entry_value:
  case DW_OP_GNU_entry_value:
    return sym_machine_entry_value(machine, op);
  case DW_OP_GNU_parameter_ref:
    return SYM_LOST_OMITTED;
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address:
    return thread_local_address(machine);
  case DW_OP_const_type:
  case DW_OP_GNU_const_type:
  case DW_OP_regval_type:
  case DW_OP_GNU_regval_type:
  case DW_OP_deref_type:
  case DW_OP_GNU_deref_type:
    return sym_machine_typed(machine, op);
  case DW_OP_convert:
  case DW_OP_GNU_convert:
  case DW_OP_reinterpret:
  case DW_OP_GNU_reinterpret:
    return sym_machine_convert(machine, op);
  default:
    return SYM_LOST_OPERATION;
  }
}

/* Gives every branch that leads to byte `offset` the op that comes next. */
static void land(struct sym_machine *machine, Dwarf_Word offset)
{
  for (unsigned i = 0; i < machine->branch_count; i++)
    if (machine->branches[i].target == offset) {
      struct fmt_op *op = &machine->code->ops[machine->branches[i].at];
      op->imm = machine->code->count - machine->branches[i].at - 1;
      machine->branches[i].has_landed = true;
      machine->code->barrier = machine->code->count;
    }
}

/* Makes ops of operations, one after another. */
static enum sym_lost run(struct sym_machine *machine, const Dwarf_Op *ops, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    land(machine, ops[i].offset);
    enum sym_lost lost = step(machine, &ops[i]);
    if (lost)
      return lost;
    if (machine->code->too_long)
      return SYM_LOST_TOO_LONG;
  }
  return SYM_LOST_NOT;
}

/* Runs the first operation of a sum with a spilled register, and puts in the load that clang leaves out (spill.h). */
static enum sym_lost load_spilled(struct sym_machine *machine, const Dwarf_Op *ops, size_t steps)
{
  const struct sym_location_context *context = machine->context;
  unsigned base = (unsigned)(ops[0].atom - DW_OP_breg0);
  if (machine->moment == SYM_LATER || ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_breg31)
    return SYM_LOST_FRAME_NUMBER;
  for (size_t i = 1; i < steps; i++)
    if ((ops[i].atom >= DW_OP_breg0 && ops[i].atom <= DW_OP_breg31) || ops[i].atom == DW_OP_fbreg ||
        ops[i].atom == DW_OP_call_frame_cfa)
      return SYM_LOST_FRAME_NUMBER;
  uint8_t size = sym_spill_size(context->spills, context->physical, context->frame, base, (int64_t)ops[0].number);
  enum sym_lost lost = size ? run(machine, ops, 1) : SYM_LOST_FRAME_NUMBER;
  return lost ? lost : sym_machine_load(machine, size);
}

/* The description of a value or an address: stack operations, and stack_value at the end of those that give a value. */
static void computed(const struct sym_location_context *context, enum sym_moment moment, Dwarf_Attribute *attribute,
                     const Dwarf_Op *ops, size_t count, struct sym_location *location)
{
  struct sym_machine machine = {.context = context, .moment = moment, .attribute = attribute, .code = &location->code};
  bool is_value = ops[count - 1].atom == DW_OP_stack_value;
  size_t steps = is_value ? count - 1 : count;
  bool is_spilled = context->is_spilled && is_value && steps > 1;
  enum sym_lost lost = is_spilled ? load_spilled(&machine, ops, steps) : SYM_LOST_NOT;
  if (!lost)
    lost = run(&machine, ops + is_spilled, steps - is_spilled);
  if (lost) {
    sym_location_lose(location, lost);
    return;
  }
  /* A branch may lead past the last operation: to stack_value, or to the end, whose offset no operation has. */
  if (is_value)
    land(&machine, ops[count - 1].offset);
  for (unsigned i = 0; i < machine.branch_count; i++)
    if (!machine.branches[i].has_landed)
      lost = SYM_LOST_OPERATION;
  if (machine.branch_count && machine.has_typed)
    lost = SYM_LOST_OPERATION;
  if (machine.depth < 1)
    lost = SYM_LOST_CORRUPT;
  if (lost)
    sym_location_lose(location, lost);
  else
    location->kind = is_value ? SYM_LOCATION_VALUE : SYM_LOCATION_MEMORY;
  location->is_doubtful = steps > 1 && sym_location_is_frame_address(context, &location->code);
}

static void in_register(const struct sym_location_context *context, enum sym_moment moment, Dwarf_Word reg,
                        struct sym_location *location)
{
  location->reg = (uint8_t)(reg > 255 ? 255 : reg);
  if (moment == SYM_LATER) {
    location->known = sym_flow_push(context->flow, location->reg, &location->code);
    location->kind = SYM_LOCATION_VALUE;
    if (location->known == 0)
      sym_location_lose(location, SYM_LOST_REGISTER);
    return;
  }
  if (!sym_is_there_at_entry(context, reg)) {
    sym_location_lose(location, SYM_LOST_NOT_YET);
    return;
  }
  if (sym_is_vector(context->hook->processor, reg) && moment == SYM_AT_CALL) {
    location->kind = SYM_LOCATION_VECTOR;
    return;
  }
  enum sym_lost lost = sym_push_register(context, moment, location->reg, &location->code);
  if (lost)
    sym_location_lose(location, lost);
  else
    location->kind = SYM_LOCATION_REGISTER;
}

/* Whether the description is nothing but what a register held on entry: then a copy of its low bytes may be enough. */
static bool is_entry_value(const Dwarf_Op *ops, size_t count)
{
  return (count == 1 || (count == 2 && ops[1].atom == DW_OP_stack_value)) &&
         (ops[0].atom == DW_OP_entry_value || ops[0].atom == DW_OP_GNU_entry_value);
}

static bool entry_copy(const struct sym_location_context *context, Dwarf_Attribute *attribute, const Dwarf_Op *op,
                       uint64_t size, struct sym_location *location)
{
  int reg = sym_entry_value_register(attribute, op);
  const struct sym_processor *processor = context->hook->processor;
  if (reg < 0 || reg >= processor->register_count || reg == processor->stack_pointer ||
      sym_is_callee_saved(processor, (unsigned)reg))
    return false;
  struct sym_code copy = {0};
  uint8_t known = sym_entry_value_copy(context, (unsigned)reg, &copy);
  if (known == 0 || known < size)
    return false;
  location->kind = SYM_LOCATION_VALUE;
  location->known = known;
  location->code = copy;
  return true;
}

/* Whether clang, from 16 on, tells what it has spilled of a vector register: as a load of all its bytes, more than a
 * stack of DWARF's holds. The memory is meant. */
static bool is_vector_spill(const Dwarf_Op *ops, size_t count)
{
  return count > 2 && ops[count - 1].atom == DW_OP_stack_value && ops[count - 2].atom == DW_OP_deref_size &&
         ops[count - 2].number > 8;
}

static void implicit_value(Dwarf_Attribute *attribute, const Dwarf_Op *op, struct sym_location *location)
{
  Dwarf_Block block;
  if (dwarf_getlocation_implicit_value(attribute, op, &block) != 0) {
    sym_location_lose(location, SYM_LOST_CORRUPT);
    return;
  }
  location->kind = SYM_LOCATION_BYTES;
  location->bytes = block.data;
  location->byte_count = block.length;
}

static void implicit_pointer(Dwarf_Attribute *attribute, const Dwarf_Op *op, struct sym_location *location)
{
  if (dwarf_getlocation_die(attribute, op, &location->die) != 0) {
    sym_location_lose(location, SYM_LOST_CORRUPT);
    return;
  }
  location->kind = SYM_LOCATION_POINTER;
  location->target_offset = (int64_t)op->number2;
}

void sym_expression(const struct sym_location_context *context, enum sym_moment moment, Dwarf_Attribute *attribute,
                    const Dwarf_Op *ops, size_t count, uint64_t size, struct sym_location *location)
{
  sym_code_clear(&location->code);
  location->inner = 0;
  location->known = 8;
  location->is_doubtful = location->is_moved = false;
  if (count == 0) {
    sym_location_lose(location, SYM_LOST_EMPTY);
    return;
  }
  if (is_vector_spill(ops, count))
    count -= 2;
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
