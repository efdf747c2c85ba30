/*
 * Follows a parameter through its function's out-of-line copy, and holds the location list against what the code does.
 */
#include "symbols/location/parameter_kept.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/flow/holders.h"
#include "symbols/flow/operands.h"
#include "symbols/location/abi.h"
#include "symbols/location/expression_machine.h"
#include "symbols/location/location_list.h"

enum {
  STATEMENTS_MAX = 64,
  JUMPS_MAX = 256,
  REGISTERS = 64,          /* DWARF numbers */
  INSTANCE_STEPS = 100,    /* instructions behind the call in an instance that are looked at */
  INSTRUCTIONS_MAX = 20000 /* of functions that are longer nothing is known: few of these are inlined */
};

#define ON_ENTRY (UINT64_C(1) << 63) /* in place of a register: it was told by its value on entry */

enum kind { IN_REGISTER, IN_SLOT, PASSED, OTHER_VALUE, NOT_KNOWN };

/* What one entry of the list says. */
struct statement {
  Dwarf_Addr start, end;
  uint64_t reg; /* IN_REGISTER, and the base of IN_SLOT: its bit */
  int64_t offset;
  enum kind kind;
};

/* What is known between two instructions. */
struct state {
  struct sym_holders holders;
  uint64_t told; /* the bit of the register that it was told to be in before the latest instruction, or ON_ENTRY */
  bool is_late;  /* the hook has returned, and on every way here the function has since read or written what is not its
                    own */
  bool is_over;  /* on some way here the last place of it was used for something else */
};

/* What is known where a jump leads to that is still to come. */
struct jump {
  Dwarf_Addr target;
  struct state state;
};

/* An instruction that puts something into a register. */
struct writer {
  struct sym_instruction instruction;
  bool is_of_parameter; /* which it makes of the parameter */
};

struct search {
  const struct sym_location_context *context;
  struct state now;
  struct state indirect; /* at the latest jump that may lead anywhere */
  struct jump jumps[JUMPS_MAX];
  unsigned jump_count;
  struct statement statements[STATEMENTS_MAX];
  unsigned count;
  uint64_t passed;                  /* the bit of the register that the caller fills */
  uint64_t frame;                   /* bits of the registers that the function's frame is told from */
  struct writer writers[REGISTERS]; /* the latest of each */
  struct writer setter;             /* of the first value that is set at once */
  unsigned set_count;               /* how often the parameter is set at once */
  bool has_returned;                /* the first call, the hook's, has */
  bool has_met;                     /* jumps lead to the latest instruction */
  bool is_told;                     /* where the parameter is before it, or it is over */
  bool is_unknown;
};

static uint64_t bit_of(uint64_t reg)
{
  return reg < 64 ? UINT64_C(1) << reg : 0;
}

/* Whether what follows the first operation changes no bit that counts: it cuts off, extends, and says that it is a
 * value.
 */
static bool is_extension(const Dwarf_Op *ops, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (ops[i].atom != DW_OP_constu && ops[i].atom != DW_OP_and && ops[i].atom != DW_OP_convert &&
        ops[i].atom != DW_OP_stack_value)
      return false;
  return true;
}

/* The register that DW_OP_fbreg is told from; -1: another expression. */
static int frame_register(Dwarf_Die *whole)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  if (!dwarf_attr_integrate(whole, DW_AT_frame_base, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 ||
      count != 1 || ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31)
    return -1;
  return ops[0].atom - DW_OP_reg0;
}

static void state_memory(struct statement *statement, int reg, int64_t offset)
{
  if (reg < 0)
    return;
  statement->kind = IN_SLOT;
  statement->reg = bit_of((uint64_t)reg);
  statement->offset = offset;
}

/* Whether the second operation loads the value from where the first says. */
static bool is_load(const struct search *search, const Dwarf_Op *ops, size_t count)
{
  if (count < 3 || !(bit_of(ops[0].atom - DW_OP_breg0) & search->frame))
    return false;
  return ops[1].atom == DW_OP_deref || (ops[1].atom == DW_OP_deref_size && ops[1].number >= search->now.holders.size);
}

static void state(struct search *search, Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count,
                  struct statement *statement)
{
  Dwarf_Die whole = *search->context->whole;
  const Dwarf_Op *op = &ops[0];
  const bool is_value = ops[count - 1].atom == DW_OP_stack_value;
  statement->kind = NOT_KNOWN;
  for (size_t i = 0; i < count; i++)
    if (ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece || ops[i].atom == DW_OP_implicit_pointer)
      return;
  if (op->atom == DW_OP_entry_value || op->atom == DW_OP_GNU_entry_value) {
    const int reg = sym_entry_value_register(attribute, op);
    const bool is_passed = reg >= 0 && bit_of((uint64_t)reg) == search->passed && is_extension(ops, count);
    statement->kind = is_passed ? PASSED : OTHER_VALUE;
  } else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 && count == 1) {
    *statement = (struct statement){statement->start, statement->end, bit_of(op->atom - DW_OP_reg0), 0, IN_REGISTER};
  } else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 && is_value) {
    const uint64_t reg = bit_of(op->atom - DW_OP_breg0);
    /* clang 14 leaves out the load of what it has spilled. */
    const bool is_loaded = is_load(search, ops, count), is_spilled = reg & search->frame;
    const bool is_plain = is_extension(ops + is_loaded, count - is_loaded);
    statement->kind = is_plain && is_spilled ? IN_SLOT : is_plain && op->number == 0 ? IN_REGISTER : OTHER_VALUE;
    statement->reg = reg;
    statement->offset = (int64_t)op->number;
  } else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 && count == 1) {
    state_memory(statement, op->atom - DW_OP_breg0, (int64_t)op->number);
  } else if (op->atom == DW_OP_fbreg && count == 1) {
    state_memory(statement, frame_register(&whole), (int64_t)op->number);
  } else if (is_value || op->atom == DW_OP_implicit_value) {
    statement->kind = OTHER_VALUE;
  }
}

/* False: there is no list, or one that is too long. */
static bool read_list(struct search *search, Dwarf_Die *parameter)
{
  Dwarf_Attribute attribute;
  struct sym_location_list list = {.attribute = dwarf_attr(parameter, DW_AT_location, &attribute)};
  while (list.attribute && sym_location_list_next(&list)) {
    if (list.start >= list.end || list.count == 0)
      continue;
    if (search->count == STATEMENTS_MAX)
      return false;
    struct statement *statement = &search->statements[search->count++];
    *statement = (struct statement){.start = list.start, .end = list.end};
    state(search, &attribute, list.ops, list.count, statement);
  }
  return search->count > 0 && !list.is_cut;
}

/* Whether it is still what was passed that is where an entry says, between two instructions. What is set behind the
 * first use of other memory is set, but not at once. False: another value is there. */
static bool holds(struct search *search, const struct statement *statement)
{
  struct sym_holders *holders = &search->now.holders;
  bool is_set = statement->kind == OTHER_VALUE;
  if (statement->kind == IN_REGISTER && !(holders->registers & statement->reg)) {
    is_set = !(holders->unsure & statement->reg);
    holders->unsure &= ~statement->reg;
    holders->registers |= statement->reg;
    search->is_unknown = true;
  } else if (statement->kind == IN_SLOT && !(holders->moved & statement->reg) &&
             !sym_holders_has_slot(holders, statement->reg, statement->offset)) {
    is_set = !holders->has_lost_slots;
    sym_holders_add_slot(holders, statement->reg, statement->offset);
    search->is_unknown = true;
  }
  search->is_unknown |= is_set || statement->kind == NOT_KNOWN;
  return !is_set || search->now.is_late;
}

/* Counts that the parameter has another value, by an instruction that wrote the register `reg` (its bit). */
static void note_set(struct search *search, uint64_t reg)
{
  if (search->set_count++ == 0 && reg)
    search->setter = search->writers[__builtin_ctzll(reg)];
}

/* Looks at what the entries tell of the time before the instruction at `at`: whether a value is told that is set at
 * once, or nothing more of what is still there. */
static void look(struct search *search, Dwarf_Addr at)
{
  struct state *now = &search->now;
  const uint64_t held = now->holders.registers | now->holders.unsure;
  uint64_t told = 0;
  bool is_told = false;
  for (unsigned i = 0; i < search->count; i++) {
    const struct statement *statement = &search->statements[i];
    if (statement->start > at || at >= statement->end)
      continue;
    if (!holds(search, statement))
      note_set(search, statement->kind == IN_REGISTER ? statement->reg : 0);
    told |= statement->kind == IN_REGISTER ? statement->reg : statement->kind == PASSED ? ON_ENTRY : 0;
    is_told = true;
  }
  /* clang goes on by the value on entry where the last place is used for something else, unless that is the
   * parameter's new value. */
  const bool is_ended = !is_told && now->told, is_there = now->told & (held | ON_ENTRY);
  if (is_ended && !now->is_late && !search->has_met)
    note_set(search, now->told & ~ON_ENTRY);
  now->is_over = !is_told && (now->is_over || (is_ended && !is_there && now->is_late));
  now->told = told;
  search->is_told = is_told || now->is_over;
}

/* Takes what is known where an instruction begins from the jumps that lead there. `is_reached`: from what precedes it,
 * too. Jumps back are not looked at: what the function changes is told where it does so. */
static void arrive(struct search *search, Dwarf_Addr at, bool is_reached)
{
  unsigned left = 0;
  for (unsigned i = 0; i < search->jump_count; i++) {
    const struct jump *jump = &search->jumps[i];
    if (jump->target != at) {
      search->jumps[left++] = *jump;
    } else if (is_reached) {
      sym_holders_meet(&search->now.holders, &jump->state.holders);
      search->now.is_late &= jump->state.is_late;
      search->now.is_over |= jump->state.is_over;
    } else {
      search->now = jump->state;
      is_reached = true;
    }
  }
  search->has_met = search->jump_count > left;
  search->jump_count = left;
  if (!is_reached)
    search->now = search->indirect;
}

/* Whether an instruction works on memory that is not the function's frame, or calls: no optimiser does that before the
 * hook's call which precedes it. */
static bool is_outside(const struct search *search, const struct sym_step *step)
{
  const struct sym_instruction *instruction = &step->instruction;
  const bool is_address = instruction->map == SYM_MAP_ONE_BYTE && instruction->opcode == 0x8d && !instruction->is_vex;
  if (step->is_call)
    return true;
  if (step->is_padding || is_address || !instruction->has_modrm || !instruction->is_memory)
    return false;
  /* What works on vectors takes its constants from memory. */
  if (instruction->base >= 16)
    return instruction->base != SYM_RIP_REGISTER || (instruction->map == SYM_MAP_ONE_BYTE && !instruction->is_vex);
  return !(sym_general_register(instruction->base) & search->frame);
}

/* Follows an instruction, and notes what it writes. False: that is not known. */
static bool go(struct search *search, const struct sym_step *step)
{
  const struct sym_operands operands = sym_operands_of(&step->instruction);
  const struct writer writer = {step->instruction, operands.reads & search->now.holders.registers};
  if (!step->is_call && operands.writes != UINT64_MAX)
    for (uint64_t left = operands.writes; left; left &= left - 1)
      search->writers[__builtin_ctzll(left)] = writer;
  return sym_holders_step(&search->now.holders, search->context->hook->processor, step);
}

/* Notes what holds behind an instruction for where it leads. False: there are too many jumps. */
static bool leave(struct search *search, const struct sym_step *step, Dwarf_Addr at)
{
  search->now.is_late |= search->has_returned && is_outside(search, step);
  search->has_returned |= step->is_call;
  if (step->is_indirect)
    search->indirect = search->now;
  if (!step->target || step->is_call || step->target <= at)
    return true;
  if (search->jump_count == JUMPS_MAX)
    return false;
  search->jumps[search->jump_count++] = (struct jump){step->target, search->now};
  return true;
}

/* From the copy's first instruction to its last. */
static enum sym_kept follow(struct search *search, Dwarf_Addr low, Dwarf_Addr high)
{
  const struct sym_hook *hook = search->context->hook;
  struct sym_step step = {.falls_through = true};
  search->indirect = search->now;
  search->indirect.holders.unsure = UINT64_MAX;
  search->indirect.holders.has_lost_slots = true;
  search->now.holders.registers = search->passed;
  for (unsigned steps = 0; low < high; low += step.size) {
    arrive(search, low, step.falls_through);
    look(search, low);
    if (steps++ == INSTRUCTIONS_MAX || !sym_step_at(hook, low, high, &step) || !go(search, &step) ||
        !leave(search, &step, low))
      return search->set_count ? SYM_KEPT_SET : SYM_KEPT_UNKNOWN;
    /* What has been lost to an optimisation is not told where it is set. */
    search->is_unknown |= !search->is_told && !step.is_padding;
  }
  return search->set_count ? SYM_KEPT_SET : search->is_unknown ? SYM_KEPT_UNKNOWN : SYM_KEPT;
}

/* The opcode of bswap names its register. */
static uint8_t operation(const struct sym_instruction *instruction)
{
  const bool is_swap = instruction->map == SYM_MAP_0F && instruction->opcode >= 0xc8 && instruction->opcode <= 0xcf;
  return is_swap ? 0xc8 : instruction->opcode;
}

/* Whether two instructions do the same, to whichever registers. */
static bool is_same_operation(const struct sym_instruction *one, const struct sym_instruction *other)
{
  const bool is_group = one->map == SYM_MAP_ONE_BYTE && one->opcode >= 0x80 && one->opcode != 0x8d;
  return one->map == other->map && operation(one) == operation(other) && one->prefix == other->prefix &&
         one->is_vex == other->is_vex && one->operand_size == other->operand_size &&
         one->immediate == other->immediate && one->is_memory == other->is_memory &&
         (!is_group || (one->reg & 7) == (other->reg & 7)) &&
         (!one->is_memory || (one->displacement == other->displacement && one->scale == other->scale));
}

/* Whether the instance, behind its hook's call, makes of what lies in a register (its bit) what its copy makes of the
 * parameter, and the copy does so once: that it is not done yet tells that what is there is what was passed. */
static bool is_set_behind(struct search *search, uint64_t registers)
{
  const struct sym_hook *hook = search->context->hook;
  struct sym_step step;
  struct sym_holders holders = {.registers = registers, .size = search->now.holders.size};
  if (search->set_count != 1 || !search->setter.is_of_parameter)
    return false;
  Dwarf_Addr at = search->context->pc;
  for (unsigned steps = 0; steps < INSTANCE_STEPS && sym_step_at(hook, at, UINT64_MAX, &step);
       steps++, at += step.size) {
    if (is_same_operation(&step.instruction, &search->setter.instruction) &&
        sym_operands_of(&step.instruction).reads & holders.registers)
      return true;
    if (step.target || !step.falls_through || is_outside(search, &step) ||
        !sym_holders_step(&holders, hook->processor, &step))
      return false;
  }
  return false;
}

/* The parameter of that name in the copy, which may be another unit's: units share the code of C++'s inline functions.
 */
static bool find_parameter(Dwarf_Die *whole, Dwarf_Die *die, Dwarf_Die *found)
{
  const char *name = dwarf_diename(die), *other;
  for (int next = name ? dwarf_child(whole, found) : 1; next == 0; next = dwarf_siblingof(found, found))
    if (dwarf_tag(found) == DW_TAG_formal_parameter && (other = dwarf_diename(found)) && strcmp(name, other) == 0)
      return true;
  return false;
}

enum sym_kept sym_parameter_kept(const struct sym_location_context *context, Dwarf_Die *die,
                                 const struct sym_location *location)
{
  Dwarf_Die whole, parameter, type;
  Dwarf_Addr high;
  struct sym_abi abi;
  struct search search = {.context = context};
  if (!context->whole || !context->hook->processor->has_flow || !sym_type_of(die, &type))
    return SYM_KEPT_UNKNOWN;
  whole = *context->whole;
  const uint64_t size = sym_type_size(&type);
  Dwarf_Attribute attribute;
  if (size == 0 || size > 8 || !find_parameter(&whole, die, &parameter))
    return SYM_KEPT_UNKNOWN;
  /* Even of what a function does not use clang tells where it was passed. */
  if (!dwarf_attr(&parameter, DW_AT_location, &attribute))
    return SYM_KEPT_SET;
  sym_abi_assign(&whole, false, &abi);
  const struct sym_abi_place *place = sym_abi_place_of(&abi, &parameter);
  if (!place || place->kind != SYM_ABI_IN_REGISTERS || place->is_reference || place->word_count != 1)
    return SYM_KEPT_UNKNOWN;
  const int base = frame_register(&whole);
  search.frame = bit_of(context->hook->processor->stack_pointer) | (base < 0 ? 0 : bit_of((uint64_t)base));
  search.passed = bit_of(place->registers[0]);
  search.now.holders.size = (uint8_t)size;
  if (!read_list(&search, &parameter) || dwarf_highpc(&whole, &high) != 0)
    return SYM_KEPT_UNKNOWN;
  for (unsigned i = 0; i < search.count; i++)
    search.is_unknown |= search.statements[i].start < context->whole_entry || search.statements[i].end > high;
  const enum sym_kept kept = follow(&search, context->whole_entry, high);
  const bool is_set_later = kept == SYM_KEPT_SET && is_set_behind(&search, sym_abi_register_of(location));
  return is_set_later ? SYM_KEPT_UNKNOWN : kept;
}
