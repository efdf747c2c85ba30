#include "symbols/verify/run.h"

#include <string.h>

enum { STEPS_MAX = 4096 };
enum { RAX = 0, RBX = 3, RSI = 4, RDI = 5, R12 = 12, R15 = 15 };

bool vf_stop(struct vf_run *run, enum vf_status status, const char *why)
{
  run->status = status;
  run->why = why;
  return false;
}

static bool survives_calls(uint64_t reg)
{
  return reg == RBX || reg == VF_RBP || reg == VF_RSP || (reg >= R12 && reg <= R15);
}

bool vf_read_register(struct vf_run *run, uint64_t reg, uint64_t *value)
{
  bool is_running = run->moment == VF_RUNNING;
  bool is_hook_argument = !run->place->is_caller && !is_running && (reg == RSI || reg == RDI);
  bool is_gone = run->moment >= VF_AFTER_CALL && !is_running && !survives_calls(reg);
  if (reg >= VF_REGISTERS || is_hook_argument || is_gone || (run->place->machine->unknown >> reg & 1))
    return vf_stop(run, VF_LOST, "register not seen");
  *value = run->place->machine->registers[reg];
  return true;
}

static bool push_entry(struct vf_run *run, struct vf_entry entry)
{
  if (run->depth == VF_STACK_MAX)
    return vf_stop(run, VF_LOST, "stack overflow");
  run->stack[run->depth++] = entry;
  return true;
}

bool vf_push(struct vf_run *run, uint64_t word)
{
  return push_entry(run, (struct vf_entry){.word = word});
}

bool vf_need(struct vf_run *run, unsigned count)
{
  return run->depth >= count || vf_stop(run, VF_LOST, "stack underflow");
}

static bool push_frame_base(struct vf_run *run, uint64_t offset)
{
  const struct vf_place *place = run->place;
  struct vf_list list;
  struct vf_expression expression;
  if (run->nesting == VF_NESTING_MAX || !place->physical || !vf_list_open(place->physical, DW_AT_frame_base, &list))
    return vf_stop(run, VF_LOST, "no frame base");
  bool found = vf_list_at(&list, place->pc - 1, 0, &expression) && expression.count;
  struct vf_run inner = {
      .place = place, .moment = VF_AT_CALL, .near = place->physical, .nesting = run->nesting + 1, .status = VF_READ};
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

static bool type_at(struct vf_run *run, uint64_t offset, struct vf_entry *type)
{
  Dwarf_Off unit;
  uint64_t size, encoding;
  *type = (struct vf_entry){0};
  if (dwarf_CU_dieoffset_given_die(run->near, &unit, NULL) != DW_DLV_OK)
    return false;
  /* The operand is relative to the unit's header, and so is the offset of the unit's own DIE within it. */
  Dwarf_Die unit_die = vf_at(run->place->object->dbg, run->near, unit);
  Dwarf_Off relative;
  if (!unit_die || dwarf_die_CU_offset(unit_die, &relative, NULL) != DW_DLV_OK)
    return false;
  Dwarf_Die die = vf_at(run->place->object->dbg, run->near, unit - relative + offset);
  if (!die || !vf_unsigned(die, DW_AT_byte_size, &size) || !vf_unsigned(die, DW_AT_encoding, &encoding) || size > 8)
    return false;
  type->size = (uint8_t)size;
  type->is_float = encoding == DW_ATE_float;
  type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  return true;
}

static uint64_t extended(struct vf_entry entry)
{
  return entry.size ? vf_extend(entry.word, entry.size, entry.is_signed) : entry.word;
}

/* const_type, regval_type, deref_type, convert and reinterpret. Floating conversions are not evaluated. */
static bool typed(struct vf_run *run, const struct vf_op *op)
{
  struct vf_entry type = {0};
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
    type.word = extended(type);
    return push_entry(run, type);
  }
  if (reads_register) {
    uint64_t reg = op->operands[0];
    if (reg >= VF_XMM0 && reg < VF_XMM0 + VF_REGISTERS && run->moment < VF_AFTER_CALL)
      type.word = run->place->machine->vectors[reg - VF_XMM0];
    else if (!vf_read_register(run, reg, &type.word))
      return false;
    type.word = extended(type);
    return push_entry(run, type);
  }
  if (!vf_need(run, 1))
    return false;
  struct vf_entry *top = &run->stack[run->depth - 1];
  if (!converts) {
    type.word = vf_machine_load(run->place->machine, top->word, (unsigned)op->operands[0]);
    type.word = extended(type);
  } else {
    bool reinterprets = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
    if ((type.is_float || top->is_float) && !reinterprets)
      return vf_stop(run, VF_UNKNOWN, "floating conversion");
    type.word = top->word;
    type.word = extended(type);
  }
  *top = type;
  return true;
}

/* Both operands of an operation other than a shift must have one type. LLVM writes untyped constants beside typed
 * values all the same: where the low bits of the result follow from the low bits of the operands, the type that is
 * there is meant; elsewhere signedness would have to be guessed. */
static bool settle_types(struct vf_run *run, uint8_t atom, struct vf_entry *left, const struct vf_entry *right)
{
  bool is_modular = atom == DW_OP_plus || atom == DW_OP_minus || atom == DW_OP_mul || atom == DW_OP_and ||
                    atom == DW_OP_or || atom == DW_OP_xor;
  if (atom == DW_OP_shl || atom == DW_OP_shr || atom == DW_OP_shra ||
      (left->size == right->size && left->is_signed == right->is_signed))
    return true;
  if (!is_modular || (left->size && right->size))
    return vf_stop(run, VF_LOST, "operands of two types");
  if (!left->size) {
    left->size = right->size;
    left->is_signed = right->is_signed;
  }
  return true;
}

static bool arithmetic(struct vf_run *run, uint8_t atom)
{
  if (!vf_need(run, 2))
    return false;
  struct vf_entry right = run->stack[--run->depth];
  struct vf_entry *left = &run->stack[run->depth - 1];
  if (left->is_float || right.is_float)
    return vf_stop(run, VF_UNKNOWN, "floating arithmetic");
  if (!settle_types(run, atom, left, &right))
    return false;
  int64_t a = (int64_t)left->word, b = (int64_t)right.word;
  bool as_signed = left->size == 0 || left->is_signed;
  bool less = as_signed ? a < b : left->word < right.word, equal = a == b;
  bool compares = true;
  bool has_sign = atom == DW_OP_div || atom == DW_OP_mod || atom == DW_OP_lt || atom == DW_OP_le || atom == DW_OP_gt ||
                  atom == DW_OP_ge;
  run->is_beyond_programs |= has_sign && left->size && (atom == DW_OP_mod ? left->is_signed : !as_signed);
  switch (atom) {
  case DW_OP_eq:
    left->word = equal;
    break;
  case DW_OP_ne:
    left->word = !equal;
    break;
  case DW_OP_lt:
    left->word = less;
    break;
  case DW_OP_le:
    left->word = less || equal;
    break;
  case DW_OP_gt:
    left->word = !less && !equal;
    break;
  case DW_OP_ge:
    left->word = !less;
    break;
  default:
    compares = false;
    break;
  }
  if (compares) {
    left->size = 0;
    return true;
  }
  uint64_t count = right.word;
  switch (atom) {
  case DW_OP_and:
    left->word &= right.word;
    break;
  case DW_OP_or:
    left->word |= right.word;
    break;
  case DW_OP_xor:
    left->word ^= right.word;
    break;
  case DW_OP_plus:
    left->word += right.word;
    break;
  case DW_OP_minus:
    left->word -= right.word;
    break;
  case DW_OP_mul:
    left->word *= right.word;
    break;
  case DW_OP_shl:
    left->word = count < 64 ? left->word << count : 0;
    break;
  case DW_OP_shr:
    left->word = count < 64 ? vf_extend(left->word, left->size ? left->size : 8, false) >> count : 0;
    break;
  case DW_OP_shra:
    left->word = (uint64_t)(a >> (count < 64 ? count : 63));
    break;
  case DW_OP_div:
    if (b == 0)
      return vf_stop(run, VF_LOST, "division by zero");
    if (as_signed)
      left->word = b == -1 ? (uint64_t) - (uint64_t)a : (uint64_t)(a / b);
    else
      left->word /= right.word;
    break;
  case DW_OP_mod:
    if (b == 0)
      return vf_stop(run, VF_LOST, "division by zero");
    if (left->size && left->is_signed)
      left->word = b == -1 ? 0 : (uint64_t)(a % b);
    else
      left->word %= right.word;
    break;
  default:
    return vf_stop(run, VF_UNKNOWN, "operation not evaluated");
  }
  left->word = extended(*left);
  return true;
}

static bool shuffle(struct vf_run *run, const struct vf_op *op)
{
  struct vf_entry *top = run->stack + run->depth, kept;
  uint64_t index = op->atom == DW_OP_pick ? op->operands[0] : op->atom == DW_OP_over;
  switch (op->atom) {
  case DW_OP_drop:
    if (!vf_need(run, 1))
      return false;
    run->depth--;
    return true;
  case DW_OP_swap:
    if (!vf_need(run, 2))
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = kept;
    return true;
  case DW_OP_rot:
    if (!vf_need(run, 3))
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = top[-3];
    top[-3] = kept;
    return true;
  default:
    return vf_need(run, (unsigned)index + 1) && push_entry(run, top[-1 - (int)index]);
  }
}

static bool unary(struct vf_run *run, const struct vf_op *op)
{
  if (!vf_need(run, 1))
    return false;
  struct vf_entry *top = &run->stack[run->depth - 1];
  if (top->is_float)
    return vf_stop(run, VF_UNKNOWN, "floating arithmetic");
  switch (op->atom) {
  case DW_OP_abs:
    if ((top->size == 0 || top->is_signed) && (int64_t)top->word < 0)
      top->word = -top->word;
    break;
  case DW_OP_neg:
    top->word = -top->word;
    break;
  case DW_OP_not:
    top->word = ~top->word;
    break;
  case DW_OP_plus_uconst:
    top->word += op->operands[0];
    break;
  case DW_OP_deref:
    *top = (struct vf_entry){.word = vf_machine_load(run->place->machine, top->word, 8)};
    break;
  case DW_OP_deref_size:
    if (op->operands[0] < 1 || op->operands[0] > 8)
      return vf_stop(run, VF_LOST, "size of a load");
    *top = (struct vf_entry){.word = vf_machine_load(run->place->machine, top->word, (unsigned)op->operands[0])};
    break;
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address:
    top->word += run->place->machine->thread_block;
    break;
  default:
    return vf_stop(run, VF_UNKNOWN, "operation not evaluated");
  }
  top->word = extended(*top);
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
  uint64_t value;
  return vf_read_register(run, reg, &value) && vf_push(run, value + offset);
}

static bool step(struct vf_run *run, const struct vf_op *op)
{
  uint64_t cfa;
  if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
    return vf_push(run, (uint64_t)(op->atom - DW_OP_lit0));
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
    return vf_push(run, op->operands[0]);
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
    return vf_frame_cfa(run->place, &cfa) ? vf_push(run, cfa) : vf_stop(run, VF_LOST, "no call frame information");
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
    return shuffle(run, op);
  case DW_OP_abs:
  case DW_OP_neg:
  case DW_OP_not:
  case DW_OP_plus_uconst:
  case DW_OP_deref:
  case DW_OP_deref_size:
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address:
    return unary(run, op);
  default:
    return arithmetic(run, op->atom);
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
