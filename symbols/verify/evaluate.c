/*
 * Finds the value of a variable at a site: the descriptions that hold there, in pieces or whole.
 */
#include "symbols/verify/evaluate.h"

#include <string.h>

#include "symbols/verify/die.h"
#include "symbols/verify/expressions.h"
#include "symbols/verify/run.h"

enum { FRAME_MAX = 1 << 23 };

/* Whether an address lies in the function's own frame at a sled, where that does not exist yet. */
static bool is_not_there_yet(const struct vf_run *run, uint64_t address)
{
  uint64_t last = run->place->machine->registers[VF_RSP] + 7;
  return run->place->sled_end && run->moment != VF_RUNNING && last - address < FRAME_MAX;
}

/* Reads bytes [at, at + size) of what a description without pieces tells, into `bytes`. */
static bool read_simple(struct vf_run *run, const struct vf_op *ops, size_t count, uint64_t at, unsigned size,
                        uint8_t *bytes, struct vf_value *value)
{
  uint64_t word = 0;
  bool in_memory = false;
  uint8_t atom = count ? ops[0].atom : 0;
  if (count == 0)
    return vf_stop(run, VF_LOST, "optimised out");
  if (count == 1 && ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx)) {
    uint64_t reg = atom == DW_OP_regx ? ops[0].operands[0] : (uint64_t)(atom - DW_OP_reg0);
    if (reg >= VF_XMM0 && reg < VF_XMM0 + VF_REGISTERS && run->moment < VF_AFTER_CALL && !run->place->is_caller)
      word = run->place->machine->vectors[reg - VF_XMM0];
    else if (!vf_read_register(run, reg, &word))
      return false;
  } else if (count == 1 && atom == DW_OP_implicit_value) {
    if (at + size > ops[0].operands[0])
      return vf_stop(run, VF_LOST, "short implicit value");
    memcpy(bytes, (const uint8_t *)(uintptr_t)ops[0].operands[1] + at, size);
    return true;
  } else if (count == 1 && (atom == DW_OP_implicit_pointer || atom == DW_OP_GNU_implicit_pointer)) {
    value->is_object = true;
    return true;
  } else {
    bool is_value = ops[count - 1].atom == DW_OP_stack_value;
    if (!vf_run(run, ops, is_value ? count - 1 : count) || !vf_need(run, 1))
      return false;
    word = run->stack[run->depth - 1].word;
    in_memory = !is_value;
  }
  if (!in_memory && at + size > 8)
    return vf_stop(run, VF_LOST, "wider than a register");
  uint64_t part = word >> (8 * at);
  if (in_memory && is_not_there_yet(run, word + at))
    return vf_stop(run, VF_LOST, "written by the function itself");
  if (in_memory && !vf_machine_read(run->place->machine, word + at, size, &part))
    return vf_stop(run, VF_LOST, "written by an instruction that is not followed");
  memcpy(bytes, &part, size);
  return true;
}

/* Reads the low `size` bytes of a variable by one description, which may consist of pieces. */
static void describe(struct vf_run *run, const struct vf_expression *expression, unsigned size, struct vf_value *value)
{
  uint8_t bytes[8] = {0};
  uint64_t begin = 0;
  unsigned done = 0;
  size_t first = 0;
  run->status = VF_READ;
  if (expression->count == 0)
    vf_stop(run, VF_LOST, "optimised out");
  for (size_t i = 0; i <= expression->count && run->status == VF_READ && done < size && first <= expression->count;
       i++) {
    const struct vf_op *op = i < expression->count ? &expression->ops[i] : NULL;
    bool is_piece = op && (op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece);
    if (op && !is_piece)
      continue;
    if (op && op->atom == DW_OP_bit_piece && (op->operands[0] % 8 || op->operands[1])) {
      vf_stop(run, VF_LOST, "bit piece");
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
    vf_stop(run, VF_LOST, "a part is missing");
  value->status = run->status;
  value->why = run->why;
  value->uses_entry = run->uses_entry;
  value->is_bit = run->takes_bit;
  value->is_beyond_programs = run->is_beyond_programs;
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
  if (data == NULL || length < size)
    return true;
  memcpy(&value->value, data, size);
  value->status = VF_READ;
  return true;
}

/* Finds description number `number` of those that hold at a moment. False: there are no more. */
static bool find_description(const struct vf_place *place, const struct vf_list *list, enum vf_moment moment,
                             size_t number, struct vf_expression *expression)
{
  switch (moment) {
  case VF_AT_ENTRY:
    return number == 0 && place->entry && vf_list_empty_in(list, place->entry, place->call, expression);
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

static bool is_made(const struct vf_expression *expression)
{
  for (size_t i = 0; i < expression->count; i++) {
    uint8_t atom = expression->ops[i].atom;
    if (atom == DW_OP_stack_value || atom == DW_OP_implicit_value || atom == DW_OP_implicit_pointer ||
        atom == DW_OP_GNU_implicit_pointer)
      return true;
  }
  return false;
}

/* One place in the frame, which may be a member of a structure there, or what the address in it leads to. */
static bool is_frame_slot(const struct vf_expression *expression)
{
  uint8_t atom = expression->ops[0].atom;
  size_t next = 1;
  if (next < expression->count && expression->ops[next].atom == DW_OP_plus_uconst)
    next++;
  if (next < expression->count && expression->ops[next].atom == DW_OP_deref)
    next++;
  return next == expression->count &&
         (atom == DW_OP_fbreg || atom == DW_OP_breg0 + VF_RBP || atom == DW_OP_breg0 + VF_RSP);
}

static bool is_frame_sum(const struct vf_expression *expression)
{
  size_t count = expression->count;
  uint8_t atom = count ? expression->ops[0].atom : 0;
  if (count < 2 || expression->ops[count - 1].atom != DW_OP_stack_value ||
      (atom != DW_OP_fbreg && atom != DW_OP_breg0 + VF_RBP && atom != DW_OP_breg0 + VF_RSP))
    return false;
  for (size_t i = 0; i < count; i++)
    if (expression->ops[i].atom == DW_OP_deref || expression->ops[i].atom == DW_OP_deref_size)
      return false;
  return true;
}

/* Whether what is told lies in no place, and something was added to what lies in one. */
static bool is_sum(const struct vf_expression *expression)
{
  bool is_added = false;
  for (size_t i = 0; i < expression->count; i++) {
    const uint8_t atom = expression->ops[i].atom;
    is_added |= atom == DW_OP_plus || atom == DW_OP_minus || atom == DW_OP_plus_uconst ||
                (atom >= DW_OP_breg0 && atom <= DW_OP_breg31 && expression->ops[i].operands[0] != 0);
  }
  return is_added && is_made(expression);
}

/* Whether something is added to what is loaded from one place of the stack. */
static bool is_slot_sum(const struct vf_expression *expression)
{
  const uint8_t atom = expression->ops[0].atom;
  const bool is_loaded =
      expression->count > 2 && (expression->ops[1].atom == DW_OP_deref || expression->ops[1].atom == DW_OP_deref_size);
  bool is_added = false;
  for (size_t i = 2; i < expression->count; i++)
    is_added |= expression->ops[i].atom == DW_OP_plus || expression->ops[i].atom == DW_OP_minus ||
                expression->ops[i].atom == DW_OP_plus_uconst;
  return is_loaded && is_added && is_made(expression) &&
         (atom == DW_OP_fbreg || atom == DW_OP_breg0 + VF_RBP || atom == DW_OP_breg0 + VF_RSP);
}

static bool is_counted(const struct vf_expression *expression)
{
  if (expression->count < 3 || expression->ops[expression->count - 1].atom != DW_OP_stack_value)
    return false;
  for (size_t i = 0; i + 1 < expression->count; i++) {
    uint8_t atom = expression->ops[i].atom;
    bool is_constant = (atom >= DW_OP_const1u && atom <= DW_OP_consts) || (atom >= DW_OP_lit0 && atom <= DW_OP_lit31);
    if (!is_constant && atom != DW_OP_plus && atom != DW_OP_minus && atom != DW_OP_plus_uconst)
      return false;
  }
  return true;
}

/* Whether a description asks for nothing of the machine. */
static bool is_number(const struct vf_expression *expression)
{
  const uint8_t last = expression->count ? expression->ops[expression->count - 1].atom : 0;
  for (size_t i = 0; i < expression->count; i++) {
    uint8_t atom = expression->ops[i].atom;
    if ((atom >= DW_OP_reg0 && atom <= DW_OP_bregx) || atom == DW_OP_call_frame_cfa || atom == DW_OP_deref ||
        atom == DW_OP_entry_value || atom == DW_OP_GNU_entry_value)
      return false;
  }
  return last == DW_OP_stack_value || last == DW_OP_implicit_value;
}

/* What a sum with a spilled register of `width` bytes is when the load that clang leaves out is put in; 0 when it
 * cannot be read. */
static uint64_t with_load(const struct vf_place *place, enum vf_moment moment, Dwarf_Die die,
                          const struct vf_expression *expression, unsigned width, unsigned size)
{
  struct vf_run run = {.place = place, .moment = moment, .near = die, .status = VF_READ};
  uint64_t slot;
  if (!vf_run(&run, expression->ops, 1) || !vf_need(&run, 1) ||
      !vf_machine_read(place->machine, run.stack[0].word, width, &slot))
    return 0;
  run.stack[0] = (struct vf_stack_entry){.word = slot, .width = width < 8 ? (uint8_t)width : 0};
  bool is_read = vf_run(&run, expression->ops + 1, expression->count - 2) && vf_need(&run, 1);
  return is_read ? vf_extend(run.stack[run.depth - 1].word, size, false) : 0;
}

void vf_evaluate(const struct vf_place *place, Dwarf_Die die, Dwarf_Die abstract, enum vf_moment moment, unsigned size,
                 struct vf_value *value)
{
  struct vf_list list;
  struct vf_expression expression = {.low = 0};
  *value = (struct vf_value){.status = VF_LOST, .why = "no location"};
  if (!vf_has(die, DW_AT_location)) {
    if (!constant(die, size, value) && abstract)
      constant(abstract, size, value);
    value->is_made = value->is_number = value->status == VF_READ;
    return;
  }
  if (!vf_list_open(die, DW_AT_location, &list)) {
    *value = (struct vf_value){.status = VF_UNKNOWN, .why = "libdwarf cannot read the location list"};
    return;
  }
  value->why = "nowhere at this point";
  for (size_t i = 0; value->status == VF_LOST && find_description(place, &list, moment, i, &expression); i++) {
    struct vf_run run = {.place = place, .moment = moment, .near = die};
    *value = (struct vf_value){0};
    describe(&run, &expression, size, value);
    value->is_slot = is_frame_slot(&expression);
    value->is_made = is_made(&expression);
    value->is_single = vf_list_is_single(&list);
    value->is_begun = true;
    value->is_frame_sum = is_frame_sum(&expression);
    value->is_sum = is_sum(&expression);
    value->is_slot_sum = is_slot_sum(&expression);
    value->is_counted = is_counted(&expression);
    value->is_number = is_number(&expression);
    value->low = expression.low;
    for (unsigned k = 0; value->is_frame_sum && k < 2; k++)
      value->loaded[k] = with_load(place, moment, die, &expression, 4u << k, size);
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
    struct vf_run run = {.place = place, .moment = VF_AT_CALL, .near = die, .status = VF_READ};
    if (vf_run(&run, expression.ops, expression.count) && vf_need(&run, 1))
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

/* The registers, as bits, that the description of a parameter's names at the function's first instruction. */
static uint64_t registers_at(Dwarf_Die die, uint64_t pc)
{
  struct vf_list list;
  struct vf_expression expression;
  uint64_t registers = 0;
  if (!vf_has(die, DW_AT_location) || !vf_list_open(die, DW_AT_location, &list))
    return 0;
  if (vf_list_at(&list, pc, 0, &expression))
    for (size_t i = 0; i < expression.count; i++)
      if (expression.ops[i].atom >= DW_OP_reg0 && expression.ops[i].atom <= DW_OP_reg31)
        registers |= UINT64_C(1) << (expression.ops[i].atom - DW_OP_reg0);
  vf_list_close(&list);
  return registers;
}

/* Whether another parameter is told to be in the register that `die` is told to be in at `pc`: one listed before it, or
 * any. */
static bool is_in_one_register(const struct vf_place *place, Dwarf_Die die, uint64_t pc, bool is_any)
{
  const uint64_t its = place->physical && pc ? registers_at(die, pc) : 0;
  for (Dwarf_Die other = its ? vf_child(place->physical) : NULL; other; other = vf_sibling(place->object->dbg, other)) {
    const bool is_meant = is_any ? vf_offset(other) != vf_offset(die) : vf_offset(other) < vf_offset(die);
    if (is_meant && vf_tag(other) == DW_TAG_formal_parameter && registers_at(other, pc) & its)
      return true;
  }
  return false;
}

/* Which of the registers that pass integers, in their order, is the first of these; -1: none is. */
static int rank_of(uint64_t registers)
{
  static const uint8_t integers[] = {5, 4, 1, 2, 8, 9}; /* rdi, rsi, rdx, rcx, r8, r9 */
  for (unsigned i = 0; i < sizeof integers; i++)
    if (registers >> integers[i] & 1)
      return (int)i;
  return -1;
}

bool vf_is_out_of_order(const struct vf_place *place, Dwarf_Die die)
{
  const int its = place->physical && place->entry ? rank_of(registers_at(die, place->entry)) : -1;
  for (Dwarf_Die other = its < 0 ? NULL : vf_child(place->physical); other;
       other = vf_sibling(place->object->dbg, other)) {
    const int rank = vf_tag(other) == DW_TAG_formal_parameter ? rank_of(registers_at(other, place->entry)) : -1;
    if (rank >= 0 && rank != its && (vf_offset(other) < vf_offset(die)) != (rank < its))
      return true;
  }
  return false;
}

/* Where a parameter is first told to be anywhere, from the function's first instruction up to the site; else 0. */
static uint64_t first_told(const struct vf_place *place, Dwarf_Die die)
{
  struct vf_list list;
  struct vf_expression expression;
  uint64_t first = 0;
  if (!place->entry || !vf_has(die, DW_AT_location) || !vf_list_open(die, DW_AT_location, &list))
    return 0;
  if (vf_list_at(&list, place->entry, 0, &expression))
    first = place->entry;
  else if (vf_list_after(&list, place->entry, &expression) && expression.low < place->pc)
    first = expression.low;
  vf_list_close(&list);
  return first;
}

bool vf_is_taken(const struct vf_place *place, Dwarf_Die die)
{
  return is_in_one_register(place, die, first_told(place, die), false);
}

bool vf_is_shared(const struct vf_place *place, Dwarf_Die die)
{
  return is_in_one_register(place, die, place->sled_end, true);
}
