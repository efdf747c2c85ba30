/*
 * Runs the operations of a DWARF expression, with the call frame information that some of them ask for.
 */
#include "symbols/verify/run.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/verify/die.h"

enum {
  STEPS_MAX = 4096, /* an expression with more is endless */
  RETURN_ADDRESS_SIZE = 8,
};

/* DWARF numbers of registers. */
enum { RAX = 0, RBX = 3, RSI = 4, RDI = 5, R12 = 12, R15 = 15 };

static bool survives_calls(uint64_t reg)
{
  return reg == RBX || reg == VF_RBP || reg == VF_RSP || (reg >= R12 && reg <= R15);
}

/* rdx, rcx, rsi, rdi, r8, r9 and xmm0 to xmm7. */
static bool passes_arguments(uint64_t reg)
{
  return reg == 1 || reg == 2 || reg == RSI || reg == RDI || reg == 8 || reg == 9 ||
         (reg >= VF_XMM0 && reg < VF_XMM0 + 8);
}

bool vf_read_register(struct vf_run *run, uint64_t reg, uint64_t *value)
{
  bool is_running = run->moment == VF_RUNNING;
  bool is_hook_argument = !run->place->is_caller && !run->place->sled_end && !is_running && (reg == RSI || reg == RDI);
  bool is_gone = run->moment >= VF_AFTER_CALL && !is_running && !survives_calls(reg);
  if (run->place->sled_end && !is_running && !passes_arguments(reg))
    return vf_stop(run, VF_LOST, "register that passes no arguments");
  if (reg >= VF_REGISTERS || is_hook_argument || is_gone || (run->place->machine->unknown >> reg & 1))
    return vf_stop(run, VF_LOST, "register not seen");
  *value = run->place->machine->registers[reg];
  return true;
}

/* Runs an expression of the call frame information, which is a block of bytes of its own. It may not ask for what only
 * call frame information tells: in a damaged file that could be itself. */
static bool run_block(const struct vf_place *place, Dwarf_Debug dbg, const void *block, uint64_t length,
                      uint64_t *value)
{
  struct vf_list list;
  struct vf_expression expression;
  struct vf_run run = {.place = place, .moment = VF_AT_CALL, .nesting = VF_NESTING_MAX, .status = VF_READ};
  bool read = vf_list_of_block(dbg, NULL, block, length, &list, &expression);
  read = read && vf_run(&run, expression.ops, expression.count) && vf_need(&run, 1);
  if (read)
    *value = run.stack[run.depth - 1].word;
  vf_list_close(&list);
  return read;
}

/* The call frame information that covers the hook's call: the first that has it. NULL: none does. */
static const struct vf_frames *fde_at(const struct vf_place *place, Dwarf_Fde *fde)
{
  Dwarf_Addr low, high;
  for (int i = 0; i < VF_FRAMES; i++) {
    const struct vf_frames *frames = &place->module->frames[i];
    if (frames->fde_count && dwarf_get_fde_at_pc(frames->fdes, place->pc - 1, fde, &low, &high, VF_ERROR) == DW_DLV_OK)
      return frames;
  }
  return NULL;
}

bool vf_frame_cfa(const struct vf_place *place, uint64_t *cfa)
{
  Dwarf_Fde fde;
  Dwarf_Small type;
  Dwarf_Signed has_offset, reg, offset;
  Dwarf_Ptr block;
  Dwarf_Addr row, next;
  Dwarf_Bool more;
  const struct vf_frames *frames = fde_at(place, &fde);
  if (!frames || dwarf_get_fde_info_for_cfa_reg3_b(fde, place->pc - 1, &type, &has_offset, &reg, &offset, &block, &row,
                                                   &more, &next, VF_ERROR) != DW_DLV_OK)
    return false;
  if (type == DW_EXPR_EXPRESSION || type == DW_EXPR_VAL_EXPRESSION)
    return run_block(place, frames->dbg, block, (uint64_t)offset, cfa);
  if (reg < 0 || reg >= VF_REGISTERS)
    return false;
  *cfa = place->machine->registers[reg] + (uint64_t)(has_offset ? offset : 0);
  return true;
}

bool vf_frame_entry(const struct vf_place *place, unsigned reg, uint64_t *value)
{
  Dwarf_Fde fde;
  Dwarf_Small type;
  Dwarf_Signed has_offset, source, offset;
  Dwarf_Ptr block;
  Dwarf_Addr row;
  uint64_t cfa;
  bool is_saved_by_callee = reg == 3 || reg == 6 || (reg >= 12 && reg <= 15);
  if (reg == VF_RSP) {
    if (!vf_frame_cfa(place, &cfa))
      return false;
    *value = cfa - RETURN_ADDRESS_SIZE;
    return true;
  }
  if (!is_saved_by_callee || !fde_at(place, &fde) ||
      dwarf_get_fde_info_for_reg3(fde, (Dwarf_Half)reg, place->pc - 1, &type, &has_offset, &source, &offset, &block,
                                  &row, VF_ERROR) != DW_DLV_OK)
    return false;
  if (source == DW_FRAME_SAME_VAL) {
    *value = place->machine->registers[reg];
    return true;
  }
  if (type != DW_EXPR_OFFSET || !has_offset || !vf_frame_cfa(place, &cfa))
    return false;
  *value = vf_machine_load(place->machine, cfa + (uint64_t)offset, 8);
  return true;
}

static bool push_frame_base(struct vf_run *run, uint64_t offset)
{
  const struct vf_place *place = run->place;
  struct vf_list list;
  struct vf_expression expression;
  if (run->nesting == VF_NESTING_MAX || !place->physical || !vf_list_open(place->physical, DW_AT_frame_base, &list))
    return vf_stop(run, VF_LOST, "no frame base");
  bool found = vf_list_at(&list, place->pc - 1, 0, &expression) && expression.count;
  struct vf_run inner = {.place = place,
                         .moment = place->sled_end ? run->moment : VF_AT_CALL,
                         .near = place->physical,
                         .nesting = run->nesting + 1,
                         .status = VF_READ};
  uint8_t atom = found ? expression.ops[0].atom : 0;
  uint64_t base = 0;
  if (found && expression.count == 1 && atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
    found = vf_read_register(&inner, (uint64_t)(atom - DW_OP_reg0), &base);
  } else if (found) {
    found = vf_run(&inner, expression.ops, expression.count) && inner.depth;
    base = found ? inner.stack[inner.depth - 1].word : 0;
  }
  vf_list_close(&list);
  return found ? vf_push(run, base + offset) : vf_stop(run, VF_LOST, "frame base not known");
}

static bool push_entry_value(struct vf_run *run, const struct vf_op *op)
{
  struct vf_list list;
  struct vf_expression expression;
  if (run->nesting == VF_NESTING_MAX)
    return vf_stop(run, VF_LOST, "entry value in call frame information");
  const void *block = (const void *)(uintptr_t)op->operands[1];
  bool decoded = vf_list_of_block(run->place->object->dbg, run->near, block, op->operands[0], &list, &expression);
  int reg = -1;
  if (decoded && expression.count == 1 && expression.ops[0].atom >= DW_OP_reg0 && expression.ops[0].atom <= DW_OP_reg31)
    reg = expression.ops[0].atom - DW_OP_reg0;
  vf_list_close(&list);
  uint64_t value;
  if (reg < 0 || reg >= VF_REGISTERS)
    return vf_stop(run, VF_LOST, "entry value of an expression");
  if (!vf_frame_entry(run->place, (unsigned)reg, &value)) {
    run->uses_entry = true;
    value = run->place->machine->entry[reg];
  }
  return vf_push(run, value);
}

/* How many bits of a base type of that name count: LLVM's conversions are to integers of any width, which its names
 * tell and its sizes, in bytes, do not. */
static uint8_t bits_of(const char *name, uint64_t size)
{
  static const char *const prefixes[] = {"DW_ATE_signed_", "DW_ATE_unsigned_"};
  unsigned long bits = 0;
  for (size_t i = 0; name && i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      bits = strtoul(name + strlen(prefixes[i]), NULL, 10);
  return (uint8_t)(bits > 0 && bits < size * 8 ? bits : size * 8);
}

static bool type_at(struct vf_run *run, uint64_t offset, struct vf_stack_entry *type)
{
  Dwarf_Off unit;
  uint64_t size, encoding;
  *type = (struct vf_stack_entry){0};
  if (dwarf_CU_dieoffset_given_die(run->near, &unit, VF_ERROR) != DW_DLV_OK)
    return false;
  /* The operand is relative to the unit's header, and so is the offset of the unit's own DIE within it. */
  Dwarf_Die unit_die = vf_at(run->place->object->dbg, run->near, unit);
  Dwarf_Off relative;
  if (!unit_die || dwarf_die_CU_offset(unit_die, &relative, VF_ERROR) != DW_DLV_OK)
    return false;
  Dwarf_Die die = vf_at(run->place->object->dbg, run->near, unit - relative + offset);
  if (!die || !vf_unsigned(die, DW_AT_byte_size, &size) || !vf_unsigned(die, DW_AT_encoding, &encoding) || size > 8)
    return false;
  type->size = (uint8_t)size;
  type->bits = bits_of(vf_name(die), size);
  type->is_float = encoding == DW_ATE_float;
  type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  run->takes_bit |= type->bits == 1;
  return true;
}

/* const_type, regval_type, deref_type, convert and reinterpret. Floating conversions are not evaluated. */
static bool typed(struct vf_run *run, const struct vf_op *op)
{
  struct vf_stack_entry type = {0};
  bool converts = op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert || op->atom == DW_OP_reinterpret ||
                  op->atom == DW_OP_GNU_reinterpret;
  bool reads_register = op->atom == DW_OP_regval_type || op->atom == DW_OP_GNU_regval_type;
  bool is_constant = op->atom == DW_OP_const_type || op->atom == DW_OP_GNU_const_type;
  uint64_t type_offset = converts || is_constant ? op->operands[0] : op->operands[1];
  if (!(converts && type_offset == 0) && !type_at(run, type_offset, &type))
    return vf_stop(run, VF_LOST, "type of an operation");
  if (is_constant) {
    if (op->operands[1] > 8)
      return vf_stop(run, VF_LOST, "wide constant");
    memcpy(&type.word, (const void *)(uintptr_t)op->operands[2], op->operands[1]);
    type.word = vf_extended(type);
    return vf_push_entry(run, type);
  }
  if (reads_register) {
    uint64_t reg = op->operands[0];
    if (reg >= VF_XMM0 && reg < VF_XMM0 + VF_REGISTERS && run->moment < VF_AFTER_CALL)
      type.word = run->place->machine->vectors[reg - VF_XMM0];
    else if (!vf_read_register(run, reg, &type.word))
      return false;
    type.word = vf_extended(type);
    return vf_push_entry(run, type);
  }
  if (!vf_need(run, 1))
    return false;
  struct vf_stack_entry *top = &run->stack[run->depth - 1];
  if (!converts) {
    type.word = vf_machine_load(run->place->machine, top->word, (unsigned)op->operands[0]);
    type.word = vf_extended(type);
  } else {
    bool reinterprets = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
    if ((type.is_float || top->is_float) && !reinterprets)
      return vf_stop(run, VF_UNKNOWN, "floating conversion");
    type.word = top->word;
    type.word = vf_extended(type);
  }
  *top = type;
  return true;
}

static bool push_indexed(struct vf_run *run, const struct vf_op *op)
{
  Dwarf_Addr address;
  if (dwarf_debug_addr_index_to_addr(run->near, op->operands[0], &address, VF_ERROR) != DW_DLV_OK)
    return vf_stop(run, VF_LOST, "address index");
  bool is_address = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index;
  return vf_push(run, address + (is_address ? run->place->machine->bias : 0));
}

static bool push_register(struct vf_run *run, uint64_t reg, uint64_t offset)
{
  struct vf_stack_entry entry = {.width = VF_WIDTH_REGISTER};
  if (!vf_read_register(run, reg, &entry.word))
    return false;
  entry.word += offset;
  return vf_push_entry(run, entry);
}

static bool push_constant(struct vf_run *run, uint64_t constant)
{
  return vf_push_entry(run, (struct vf_stack_entry){.word = constant, .width = VF_WIDTH_ANY});
}

static bool step(struct vf_run *run, const struct vf_op *op)
{
  uint64_t cfa;
  bool found;
  if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
    return push_constant(run, (uint64_t)(op->atom - DW_OP_lit0));
  if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
    return push_register(run, (uint64_t)(op->atom - DW_OP_breg0), op->operands[0]);
  switch (op->atom) {
  case DW_OP_nop:
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
    return push_constant(run, op->operands[0]);
  case DW_OP_addr:
    return vf_push(run, op->operands[0] + run->place->machine->bias);
  case DW_OP_addrx:
  case DW_OP_GNU_addr_index:
  case DW_OP_constx:
  case DW_OP_GNU_const_index:
    return push_indexed(run, op);
  case DW_OP_bregx:
    return push_register(run, op->operands[0], op->operands[1]);
  case DW_OP_fbreg:
    return push_frame_base(run, op->operands[0]);
  case DW_OP_call_frame_cfa:
    found = run->nesting < VF_NESTING_MAX && vf_frame_cfa(run->place, &cfa);
    return found ? vf_push(run, cfa) : vf_stop(run, VF_LOST, "no call frame information");
  case DW_OP_entry_value:
  case DW_OP_GNU_entry_value:
    return push_entry_value(run, op);
  case DW_OP_const_type:
  case DW_OP_GNU_const_type:
  case DW_OP_regval_type:
  case DW_OP_GNU_regval_type:
  case DW_OP_deref_type:
  case DW_OP_GNU_deref_type:
  case DW_OP_convert:
  case DW_OP_GNU_convert:
  case DW_OP_reinterpret:
  case DW_OP_GNU_reinterpret:
    return typed(run, op);
  case DW_OP_dup:
  case DW_OP_over:
  case DW_OP_pick:
  case DW_OP_drop:
  case DW_OP_swap:
  case DW_OP_rot:
    return vf_shuffle(run, op);
  case DW_OP_abs:
  case DW_OP_neg:
  case DW_OP_not:
  case DW_OP_plus_uconst:
  case DW_OP_deref:
  case DW_OP_deref_size:
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address:
    return vf_unary(run, op);
  default:
    return vf_arithmetic(run, op->atom);
  }
}

/* The operation that a branch leads to; `count` for the end of the expression. */
static size_t branch_target(const struct vf_op *ops, size_t count, size_t at)
{
  uint64_t target = ops[at].offset + 3 + (uint64_t)(int64_t)(int16_t)ops[at].operands[0];
  for (size_t i = 0; i < count; i++)
    if (ops[i].offset == target)
      return i;
  return count;
}

bool vf_run(struct vf_run *run, const struct vf_op *ops, size_t count)
{
  unsigned steps = 0;
  for (size_t i = 0; i < count;) {
    if (++steps > STEPS_MAX)
      return vf_stop(run, VF_UNKNOWN, "endless expression");
    bool is_branch = ops[i].atom == DW_OP_skip || ops[i].atom == DW_OP_bra;
    if (!is_branch) {
      if (!step(run, &ops[i]))
        return false;
      i++;
      continue;
    }
    if (ops[i].atom == DW_OP_bra && !vf_need(run, 1))
      return false;
    bool taken = ops[i].atom == DW_OP_skip || run->stack[--run->depth].word != 0;
    size_t next = taken ? branch_target(ops, count, i) : i + 1;
    run->is_beyond_programs |= next <= i;
    i = next;
  }
  return true;
}
