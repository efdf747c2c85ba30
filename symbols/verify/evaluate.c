#include "evaluate.h"

#include <string.h>

#include "expressions.h"

enum { STACK_MAX = 64, STEPS_MAX = 4096, NESTING_MAX = 4 };
enum { RAX = 0, RBX = 3, RSI = 4, RDI = 5, RBP = 6, R12 = 12, R15 = 15 };

/* A stack entry: generic, or of an integer type and kept extended. */
struct entry {
  uint64_t word;
  uint8_t size; /* 0: generic */
  bool is_signed, is_float;
};

struct run {
  const struct vf_place *place;
  enum vf_moment moment;
  Dwarf_Die near; /* of the unit that the expression is in */
  int nesting;
  struct entry stack[STACK_MAX];
  unsigned depth;
  bool uses_entry;
  int status; /* of struct vf_value */
  const char *why;
};

static bool stop(struct run *run, int status, const char *why)
{
  run->status = status;
  run->why = why;
  return false;
}

static bool survives_calls(uint64_t reg)
{
  return reg == RBX || reg == RBP || reg == VF_RSP || (reg >= R12 && reg <= R15);
}

static bool read_register(struct run *run, uint64_t reg, uint64_t *value)
{
  bool is_running = run->moment == VF_RUNNING;
  bool is_hook_argument = !run->place->is_caller && !is_running && (reg == RSI || reg == RDI);
  bool is_gone = run->moment >= VF_AFTER_CALL && !is_running && !survives_calls(reg);
  if (reg >= VF_REGISTERS || is_hook_argument || is_gone || (run->place->machine->unknown >> reg & 1))
    return stop(run, VF_LOST, "register not seen");
  *value = run->place->machine->registers[reg];
  return true;
}

static bool push_entry(struct run *run, struct entry entry)
{
  if (run->depth == STACK_MAX)
    return stop(run, VF_LOST, "stack overflow");
  run->stack[run->depth++] = entry;
  return true;
}

static bool push(struct run *run, uint64_t word)
{
  return push_entry(run, (struct entry){.word = word});
}

static bool need(struct run *run, unsigned count)
{
  return run->depth >= count || stop(run, VF_LOST, "stack underflow");
}

static bool run_ops(struct run *run, const struct vf_op *ops, size_t count);

static bool push_frame_base(struct run *run, uint64_t offset)
{
  const struct vf_place *place = run->place;
  struct vf_list list;
  struct vf_expression expression;
  if (run->nesting == NESTING_MAX || !place->physical || !vf_list_open(place->physical, DW_AT_frame_base, &list))
    return stop(run, VF_LOST, "no frame base");
  bool found = vf_list_at(&list, place->pc - 1, 0, &expression) && expression.count;
  struct run inner = {
      .place = place, .moment = VF_AT_CALL, .near = place->physical, .nesting = run->nesting + 1, .status = VF_READ};
  uint8_t atom = found ? expression.ops[0].atom : 0;
  uint64_t base = 0;
  if (found && expression.count == 1 && atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
    found = read_register(&inner, (uint64_t)(atom - DW_OP_reg0), &base);
  } else if (found) {
    found = run_ops(&inner, expression.ops, expression.count) && inner.depth;
    base = found ? inner.stack[inner.depth - 1].word : 0;
  }
  vf_list_close(&list);
  return found ? push(run, base + offset) : stop(run, VF_LOST, "frame base not known");
}

static bool push_entry_value(struct run *run, const struct vf_op *op)
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
    return stop(run, VF_LOST, "entry value of an expression");
  if (!vf_frame_entry(run->place, (unsigned)reg, &value)) {
    run->uses_entry = true;
    value = run->place->machine->entry[reg];
  }
  return push(run, value);
}

static bool type_at(struct run *run, uint64_t offset, struct entry *type)
{
  Dwarf_Off unit;
  uint64_t size, encoding;
  *type = (struct entry){0};
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

static uint64_t extended(struct entry entry)
{
  return entry.size ? vf_extend(entry.word, entry.size, entry.is_signed) : entry.word;
}

/* const_type, regval_type, deref_type, convert and reinterpret. Floating conversions are not evaluated. */
static bool typed(struct run *run, const struct vf_op *op)
{
  struct entry type = {0};
  bool converts = op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert || op->atom == DW_OP_reinterpret ||
                  op->atom == DW_OP_GNU_reinterpret;
  bool reads_register = op->atom == DW_OP_regval_type || op->atom == DW_OP_GNU_regval_type;
  bool is_constant = op->atom == DW_OP_const_type || op->atom == DW_OP_GNU_const_type;
  uint64_t type_offset = converts || is_constant ? op->operands[0] : op->operands[1];
  if (!(converts && type_offset == 0) && !type_at(run, type_offset, &type))
    return stop(run, VF_LOST, "type of an operation");
  if (is_constant) {
    if (op->operands[1] > 8)
      return stop(run, VF_LOST, "wide constant");
    memcpy(&type.word, (const void *)(uintptr_t)op->operands[2], op->operands[1]);
    type.word = extended(type);
    return push_entry(run, type);
  }
  if (reads_register) {
    uint64_t reg = op->operands[0];
    if (reg >= VF_XMM0 && reg < VF_XMM0 + VF_REGISTERS && run->moment < VF_AFTER_CALL)
      type.word = run->place->machine->vectors[reg - VF_XMM0];
    else if (!read_register(run, reg, &type.word))
      return false;
    type.word = extended(type);
    return push_entry(run, type);
  }
  if (!need(run, 1))
    return false;
  struct entry *top = &run->stack[run->depth - 1];
  if (!converts) {
    type.word = vf_machine_load(run->place->machine, top->word, (unsigned)op->operands[0]);
    type.word = extended(type);
  } else {
    bool reinterprets = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
    if ((type.is_float || top->is_float) && !reinterprets)
      return stop(run, VF_UNKNOWN, "floating conversion");
    type.word = top->word;
    type.word = extended(type);
  }
  *top = type;
  return true;
}

static bool arithmetic(struct run *run, uint8_t atom)
{
  if (!need(run, 2))
    return false;
  struct entry right = run->stack[--run->depth];
  struct entry *left = &run->stack[run->depth - 1];
  if (left->is_float || right.is_float)
    return stop(run, VF_UNKNOWN, "floating arithmetic");
  int64_t a = (int64_t)left->word, b = (int64_t)right.word;
  bool as_signed = left->size == 0 || left->is_signed;
  bool less = as_signed ? a < b : left->word < right.word, equal = a == b;
  bool compares = true;
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
      return stop(run, VF_LOST, "division by zero");
    if (as_signed)
      left->word = b == -1 ? (uint64_t) - (uint64_t)a : (uint64_t)(a / b);
    else
      left->word /= right.word;
    break;
  case DW_OP_mod:
    if (b == 0)
      return stop(run, VF_LOST, "division by zero");
    if (left->size && left->is_signed)
      left->word = b == -1 ? 0 : (uint64_t)(a % b);
    else
      left->word %= right.word;
    break;
  default:
    return stop(run, VF_UNKNOWN, "operation not evaluated");
  }
  left->word = extended(*left);
  return true;
}

static bool shuffle(struct run *run, const struct vf_op *op)
{
  struct entry *top = run->stack + run->depth, kept;
  uint64_t index = op->atom == DW_OP_pick ? op->operands[0] : op->atom == DW_OP_over;
  switch (op->atom) {
  case DW_OP_drop:
    if (!need(run, 1))
      return false;
    run->depth--;
    return true;
  case DW_OP_swap:
    if (!need(run, 2))
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = kept;
    return true;
  case DW_OP_rot:
    if (!need(run, 3))
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = top[-3];
    top[-3] = kept;
    return true;
  default:
    return need(run, (unsigned)index + 1) && push_entry(run, top[-1 - (int)index]);
  }
}

static bool unary(struct run *run, const struct vf_op *op)
{
  if (!need(run, 1))
    return false;
  struct entry *top = &run->stack[run->depth - 1];
  if (top->is_float)
    return stop(run, VF_UNKNOWN, "floating arithmetic");
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
    *top = (struct entry){.word = vf_machine_load(run->place->machine, top->word, 8)};
    break;
  case DW_OP_deref_size:
    if (op->operands[0] < 1 || op->operands[0] > 8)
      return stop(run, VF_LOST, "size of a load");
    *top = (struct entry){.word = vf_machine_load(run->place->machine, top->word, (unsigned)op->operands[0])};
    break;
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address:
    top->word += run->place->machine->thread_block;
    break;
  default:
    return stop(run, VF_UNKNOWN, "operation not evaluated");
  }
  top->word = extended(*top);
  return true;
}

static bool push_indexed(struct run *run, const struct vf_op *op)
{
  Dwarf_Addr address;
  if (dwarf_debug_addr_index_to_addr(run->near, op->operands[0], &address, VF_ERROR) != DW_DLV_OK)
    return stop(run, VF_LOST, "address index");
  bool is_address = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index;
  return push(run, address + (is_address ? run->place->machine->bias : 0));
}

static bool push_register(struct run *run, uint64_t reg, uint64_t offset)
{
  uint64_t value;
  return read_register(run, reg, &value) && push(run, value + offset);
}

static bool step(struct run *run, const struct vf_op *op)
{
  uint64_t cfa;
  if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
    return push(run, (uint64_t)(op->atom - DW_OP_lit0));
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
    return push(run, op->operands[0]);
  case DW_OP_addr:
    return push(run, op->operands[0] + run->place->machine->bias);
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
    return vf_frame_cfa(run->place, &cfa) ? push(run, cfa) : stop(run, VF_LOST, "no call frame information");
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

static bool run_ops(struct run *run, const struct vf_op *ops, size_t count)
{
  unsigned steps = 0;
  for (size_t i = 0; i < count;) {
    if (++steps > STEPS_MAX)
      return stop(run, VF_UNKNOWN, "endless expression");
    bool is_branch = ops[i].atom == DW_OP_skip || ops[i].atom == DW_OP_bra;
    if (!is_branch) {
      if (!step(run, &ops[i]))
        return false;
      i++;
      continue;
    }
    if (ops[i].atom == DW_OP_bra && !need(run, 1))
      return false;
    bool taken = ops[i].atom == DW_OP_skip || run->stack[--run->depth].word != 0;
    i = taken ? branch_target(ops, count, i) : i + 1;
  }
  return true;
}

/* Bytes [at, at + size) of what one simple description is about, to `bytes`. */
static bool read_simple(struct run *run, const struct vf_op *ops, size_t count, uint64_t at, unsigned size,
                        uint8_t *bytes, struct vf_value *value)
{
  uint64_t word = 0;
  bool in_memory = false;
  uint8_t atom = count ? ops[0].atom : 0;
  if (count == 0)
    return stop(run, VF_LOST, "optimised out");
  if (count == 1 && ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx)) {
    uint64_t reg = atom == DW_OP_regx ? ops[0].operands[0] : (uint64_t)(atom - DW_OP_reg0);
    if (reg >= VF_XMM0 && reg < VF_XMM0 + VF_REGISTERS && run->moment < VF_AFTER_CALL && !run->place->is_caller)
      word = run->place->machine->vectors[reg - VF_XMM0];
    else if (!read_register(run, reg, &word))
      return false;
  } else if (count == 1 && atom == DW_OP_implicit_value) {
    if (at + size > ops[0].operands[0])
      return stop(run, VF_LOST, "short implicit value");
    memcpy(bytes, (const uint8_t *)(uintptr_t)ops[0].operands[1] + at, size);
    return true;
  } else if (count == 1 && (atom == DW_OP_implicit_pointer || atom == DW_OP_GNU_implicit_pointer)) {
    value->is_object = true;
    return true;
  } else {
    bool is_value = ops[count - 1].atom == DW_OP_stack_value;
    if (!run_ops(run, ops, is_value ? count - 1 : count) || !need(run, 1))
      return false;
    word = run->stack[run->depth - 1].word;
    in_memory = !is_value;
  }
  if (!in_memory && at + size > 8)
    return stop(run, VF_LOST, "wider than a register");
  uint64_t part = word >> (8 * at);
  if (in_memory && !vf_machine_read(run->place->machine, word + at, size, &part))
    return stop(run, VF_LOST, "written by an instruction that is not followed");
  memcpy(bytes, &part, size);
  return true;
}

/* The object's `size` bytes out of one description, which may be made of pieces. */
static void describe(struct run *run, const struct vf_expression *expression, unsigned size, struct vf_value *value)
{
  uint8_t bytes[8] = {0};
  uint64_t begin = 0;
  unsigned done = 0;
  size_t first = 0;
  run->status = VF_READ;
  if (expression->count == 0)
    stop(run, VF_LOST, "optimised out");
  for (size_t i = 0; i <= expression->count && run->status == VF_READ && done < size && first <= expression->count;
       i++) {
    const struct vf_op *op = i < expression->count ? &expression->ops[i] : NULL;
    bool is_piece = op && (op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece);
    if (op && !is_piece)
      continue;
    if (op && op->atom == DW_OP_bit_piece && (op->operands[0] % 8 || op->operands[1])) {
      stop(run, VF_LOST, "bit piece");
      break;
    }
    if (!op && first == expression->count)
      break;
    uint64_t length = !op ? size : op->atom == DW_OP_piece ? op->operands[0] : op->operands[0] / 8;
    unsigned part = length < size - begin ? (unsigned)length : size - (unsigned)begin;
    run->depth = 0;
    if (begin < size && read_simple(run, expression->ops + first, i - first, 0, part, bytes + begin, value))
      done += part;
    begin += length;
    first = i + 1;
  }
  if (run->status == VF_READ && done < size && !value->is_object)
    stop(run, VF_LOST, "a part is missing");
  value->status = run->status;
  value->why = run->why;
  value->uses_entry = run->uses_entry;
  memcpy(&value->value, bytes, sizeof bytes);
}

/* DW_AT_const_value of the variable. */
static bool constant(Dwarf_Die die, unsigned size, struct vf_value *value)
{
  Dwarf_Attribute attribute;
  Dwarf_Block *block;
  char *string;
  if (vf_unsigned(die, DW_AT_const_value, &value->value)) {
    value->status = VF_READ;
    value->value = vf_extend(value->value, size, false);
    return true;
  }
  if (!vf_attribute(die, DW_AT_const_value, &attribute))
    return false;
  const void *data = NULL;
  uint64_t length = 0;
  if (dwarf_formblock(attribute, &block, VF_ERROR) == DW_DLV_OK) {
    data = block->bl_data;
    length = block->bl_len;
  } else if (dwarf_formstring(attribute, &string, VF_ERROR) == DW_DLV_OK) {
    data = string;
    length = strlen(string) + 1;
  }
  value->why = "short constant";
  if (length < size)
    return true;
  memcpy(&value->value, data, size);
  value->status = VF_READ;
  return true;
}

/* Description number `number` of those that count at a moment. */
static bool find_description(const struct vf_place *place, const struct vf_list *list, enum vf_moment moment,
                             size_t number, struct vf_expression *expression)
{
  switch (moment) {
  case VF_AT_CALL:
    return number < VF_DESCRIPTIONS_MAX && vf_list_at(list, place->call, number, expression);
  case VF_IN_CALL:
    return number < VF_DESCRIPTIONS_MAX && vf_list_at(list, place->pc - 1, number, expression);
  case VF_AFTER_CALL:
    return number < VF_DESCRIPTIONS_MAX && vf_list_at(list, place->pc, number, expression);
  case VF_RUNNING:
    return number < VF_DESCRIPTIONS_MAX && vf_list_at(list, place->running, number, expression);
  default:
    return number == 0 && vf_list_after(list, place->pc, expression);
  }
}

static bool is_frame_slot(const struct vf_expression *expression)
{
  uint8_t atom = expression->ops[0].atom;
  return expression->count == 1 && (atom == DW_OP_fbreg || atom == DW_OP_breg0 + RBP || atom == DW_OP_breg0 + VF_RSP);
}

static bool is_frame_sum(const struct vf_expression *expression)
{
  size_t count = expression->count;
  uint8_t atom = count ? expression->ops[0].atom : 0;
  if (count < 2 || expression->ops[count - 1].atom != DW_OP_stack_value ||
      (atom != DW_OP_fbreg && atom != DW_OP_breg0 + RBP && atom != DW_OP_breg0 + VF_RSP))
    return false;
  for (size_t i = 0; i < count; i++)
    if (expression->ops[i].atom == DW_OP_deref || expression->ops[i].atom == DW_OP_deref_size)
      return false;
  return true;
}

void vf_evaluate(const struct vf_place *place, Dwarf_Die die, Dwarf_Die abstract, enum vf_moment moment, unsigned size,
                 struct vf_value *value)
{
  struct vf_list list;
  struct vf_expression expression;
  *value = (struct vf_value){.status = VF_LOST, .why = "no location"};
  if (!vf_has(die, DW_AT_location)) {
    if (!constant(die, size, value) && abstract)
      constant(abstract, size, value);
    return;
  }
  if (!vf_list_open(die, DW_AT_location, &list)) {
    *value = (struct vf_value){.status = VF_UNKNOWN, .why = "libdwarf cannot read the location list"};
    return;
  }
  value->why = "nowhere at this point";
  for (size_t i = 0; value->status == VF_LOST && find_description(place, &list, moment, i, &expression); i++) {
    struct run run = {.place = place, .moment = moment, .near = die};
    *value = (struct vf_value){0};
    describe(&run, &expression, size, value);
    value->is_slot = is_frame_slot(&expression);
    value->is_begun = true;
    value->is_frame_sum = is_frame_sum(&expression);
  }
  if (value->status == VF_LOST && vf_list_is_incomplete(&list))
    *value = (struct vf_value){.status = VF_UNKNOWN, .why = "libdwarf cannot tell an address of the location list"};
  vf_list_close(&list);
}

void vf_evaluate_attribute(const struct vf_place *place, Dwarf_Die die, Dwarf_Half name, struct vf_value *value)
{
  struct vf_list list;
  struct vf_expression expression;
  *value = (struct vf_value){.status = VF_LOST, .why = "no expression"};
  if (!vf_list_open(die, name, &list))
    return;
  if (vf_list_at(&list, place->pc - 1, 0, &expression)) {
    struct run run = {.place = place, .moment = VF_AT_CALL, .near = die, .status = VF_READ};
    if (run_ops(&run, expression.ops, expression.count) && need(&run, 1))
      value->value = run.stack[run.depth - 1].word;
    value->status = run.status;
    value->why = run.why;
    value->uses_entry = run.uses_entry;
  }
  vf_list_close(&list);
}

int vf_register_of(const struct vf_place *place, Dwarf_Die die, Dwarf_Half name)
{
  struct vf_list list;
  struct vf_expression expression;
  int reg = -1;
  if (!vf_list_open(die, name, &list))
    return -1;
  if (vf_list_at(&list, place->pc - 1, 0, &expression) && expression.count == 1 &&
      expression.ops[0].atom >= DW_OP_reg0 && expression.ops[0].atom <= DW_OP_reg31)
    reg = expression.ops[0].atom - DW_OP_reg0;
  vf_list_close(&list);
  return reg;
}

bool vf_evaluate_block(const struct vf_place *place, const void *block, uint64_t length, const uint64_t *initial,
                       uint64_t *value)
{
  struct vf_list list;
  struct vf_expression expression;
  struct run run = {.place = place, .moment = VF_AT_CALL, .nesting = NESTING_MAX, .status = VF_READ};
  bool read = vf_list_of_block(place->module->frames, NULL, block, length, &list, &expression);
  if (read && initial)
    read = push(&run, *initial);
  read = read && run_ops(&run, expression.ops, expression.count) && need(&run, 1);
  if (read)
    *value = run.stack[run.depth - 1].word;
  vf_list_close(&list);
  return read;
}
