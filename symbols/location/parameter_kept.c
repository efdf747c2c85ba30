/*
 * Follows a parameter through its function's out-of-line copy, and holds the location list against what the code does.
 */
#include "symbols/location/parameter_kept.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/flow/bits_read.h"
#include "symbols/flow/entry_reads.h"
#include "symbols/flow/holders.h"
#include "symbols/flow/operands.h"
#include "symbols/flow/spill.h"
#include "symbols/location/abi.h"
#include "symbols/location/statements.h"

enum {
  JUMPS_MAX = 256,
  ENDS_MAX = 8,
  REGISTERS = 64,          /* DWARF numbers */
  INSTANCE_STEPS = 100,    /* instructions behind the call in an instance that are looked at */
  INSTRUCTIONS_MAX = 20000 /* of functions that are longer nothing is known: few of these are inlined */
};

#define ON_ENTRY (UINT64_C(1) << 63) /* in place of a register: it was told by its value on entry */

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
  bool is_of_parameter; /* which it makes of the parameter, and of no other register */
};

/* What was found of a parameter. */
struct entry {
  enum sym_kept kept;
  bool goes_on;     /* it is stored or passed as it is */
  bool is_set_once; /* by one instruction, `setter`, that makes the new value of the old one */
  struct sym_instruction setter;
  uint8_t size;
  uint64_t bits;                  /* those of it that the copy's code looks at, as far as was seen */
  struct sym_entry_places unread; /* where its words are passed, those that the copy's code does not look at */
  uint8_t registers[2];           /* in which it is passed, where it is */
  int64_t offset;                 /* from the canonical frame address, where it is not */
};

struct search {
  const struct sym_location_context *context;
  Dwarf_Addr low, high; /* the copy's code */
  struct state now;
  struct state indirect; /* at the latest jump that may lead anywhere */
  struct jump jumps[JUMPS_MAX];
  unsigned jump_count;
  struct sym_statements list;
  struct writer writers[REGISTERS];    /* the latest of each */
  struct writer setter;                /* of the first value that it is set to */
  unsigned set_count;                  /* how often the parameter is set */
  uint64_t places;                     /* bits of the registers that it has been told to be in */
  struct sym_holders slots;            /* the slots */
  const struct sym_statement *in_slot; /* it was told so before the latest instruction, or NULL */
  uint64_t written;                    /* bits of the registers that the latest instruction writes */
  Dwarf_Addr ends[ENDS_MAX]; /* where what is still there is told no longer: the function has set the parameter */
  unsigned end_count;
  struct sym_bits_read bits; /* of the parameter, that the copy looks at */
  bool has_returned;         /* the first call, the hook's, has */
  bool has_met;              /* jumps lead to the latest instruction */
  bool is_reached;           /* they, or the one before it, do: jumps back alone are not followed */
  bool is_told;              /* where the parameter is before it, or it is over */
  bool is_unknown;
};

/* Whether it is still what was passed that is where an entry says, between two instructions. False: another value is
 * there. */
static bool holds(struct search *search, const struct sym_statement *statement)
{
  struct sym_holders *holders = &search->now.holders;
  bool is_set = statement->told == SYM_TOLD_OTHERWISE;
  if (statement->told == SYM_TOLD_IN_REGISTER && !(holders->registers & statement->reg)) {
    is_set = !(holders->unsure & statement->reg);
    holders->unsure &= ~statement->reg;
    holders->registers |= statement->reg;
    /* It is taken for granted to be back in a place where a loop begins that is entered further down. */
    search->is_unknown |= is_set || search->is_reached || !(search->places & statement->reg);
  } else if (statement->told == SYM_TOLD_IN_SLOT && !(holders->moved & statement->reg) &&
             (search->list.passed || search->has_returned) &&
             !sym_holders_has_slot(holders, statement->reg, statement->offset)) {
    is_set = !holders->has_lost_slots;
    sym_holders_add_slot(holders, statement->reg, statement->offset);
    search->is_unknown |=
        is_set || search->is_reached || !sym_holders_has_slot(&search->slots, statement->reg, statement->offset);
  }
  if (statement->told == SYM_TOLD_IN_REGISTER)
    search->places |= statement->reg;
  else if (statement->told == SYM_TOLD_IN_SLOT)
    sym_holders_add_slot(&search->slots, statement->reg, statement->offset);
  search->is_unknown |= is_set || statement->told == SYM_TOLD_UNKNOWN;
  return !is_set;
}

/* Counts that the parameter has another value, by an instruction that wrote the register `reg` (its bit; 0: it is not
 * told by which). */
static void note_set(struct search *search, uint64_t reg)
{
  if (search->set_count++ == 0 && reg)
    search->setter = search->writers[__builtin_ctzll(reg)];
}

/* Looks at what the entries tell of the time before the instruction at `at`: whether another value is told, or
 * nothing more of what is still there. */
static void look(struct search *search, Dwarf_Addr at)
{
  struct state *now = &search->now;
  const uint64_t held = now->holders.registers | now->holders.unsure;
  const struct sym_statement *in_slot = NULL, *left = search->in_slot;
  uint64_t told = 0;
  bool is_told = false;
  for (unsigned i = 0; i < search->list.count; i++) {
    const struct sym_statement *statement = &search->list.statements[i];
    if (statement->start > at || at >= statement->end)
      continue;
    if (!holds(search, statement))
      note_set(search, statement->told == SYM_TOLD_IN_REGISTER ? statement->reg : 0);
    told |= statement->told == SYM_TOLD_IN_REGISTER ? statement->reg
            : statement->told == SYM_TOLD_ON_ENTRY  ? ON_ENTRY
                                                    : 0;
    in_slot = statement->told == SYM_TOLD_IN_SLOT ? statement : in_slot;
    is_told = true;
  }
  /* clang goes on by the value on entry where the last place is used for something else, unless that is the
   * parameter's new value. */
  const bool is_ended = !is_told && now->told, is_there = now->told & (held | ON_ENTRY);
  const bool has_left = !is_told && left && sym_holders_has_slot(&now->holders, left->reg, left->offset);
  if ((is_ended || has_left) && !now->is_late && !search->has_met)
    note_set(search, 0);
  if (is_ended && is_there && !(now->told & search->written) && !search->has_met && search->end_count < ENDS_MAX)
    search->ends[search->end_count++] = at;
  search->in_slot = in_slot;
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
  search->is_reached = is_reached;
  if (!is_reached)
    search->now = search->indirect;
}

/* Whether an instruction works on memory that is not the function's frame, or calls. */
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
  return !(sym_general_register(instruction->base) & search->list.frame);
}

/* Follows an instruction, and notes what it writes. False: that is not known. */
static bool go(struct search *search, const struct sym_step *step)
{
  /* What is passed to the hook is known. */
  if (!step->is_call || search->has_returned)
    sym_bits_read_step(&search->bits, &search->now.holders, step);
  const struct sym_operands operands = sym_operands_of(&step->instruction);
  const bool is_of_parameter = operands.reads && !(operands.reads & ~search->now.holders.registers);
  const struct writer writer = {step->instruction, is_of_parameter};
  search->written = operands.writes;
  if (!step->is_call && operands.writes != UINT64_MAX)
    for (uint64_t left = operands.writes; left; left &= left - 1)
      search->writers[__builtin_ctzll(left)] = writer;
  return sym_holders_step(&search->now.holders, search->context->hook->processor, step);
}

/* Where a loop begins, ways meet on which different things may be told. */
static void note_loop(struct search *search, Dwarf_Addr begin)
{
  unsigned left = 0;
  for (unsigned i = 0; i < search->end_count; i++)
    if (search->ends[i] != begin)
      search->ends[left++] = search->ends[i];
  search->end_count = left;
}

/* Notes what holds behind an instruction for where it leads. False: there are too many jumps. */
static bool leave(struct search *search, const struct sym_step *step, Dwarf_Addr at)
{
  search->now.is_late |= search->has_returned && is_outside(search, step);
  /* The prologue has made room by now: what DWARF tells from the stack pointer is right from here on. */
  if (step->is_call && !search->has_returned)
    search->now.holders.moved = 0;
  search->has_returned |= step->is_call;
  if (step->is_indirect)
    search->indirect = search->now;
  if (!step->target || step->is_call)
    return true;
  if (step->target <= at) {
    note_loop(search, step->target);
    return true;
  }
  if (search->jump_count == JUMPS_MAX)
    return false;
  search->jumps[search->jump_count++] = (struct jump){step->target, search->now};
  return true;
}

/* From the copy's first instruction to its last. */
static enum sym_kept follow(struct search *search)
{
  const Dwarf_Addr high = search->high;
  Dwarf_Addr low = search->low;
  const struct sym_hook *hook = search->context->hook;
  struct sym_step step = {.falls_through = true};
  search->indirect = search->now;
  search->indirect.holders.registers = 0;
  search->indirect.holders.unsure = UINT64_MAX;
  search->indirect.holders.has_lost_slots = true;
  for (unsigned steps = 0; low < high; low += step.size) {
    arrive(search, low, step.falls_through);
    look(search, low);
    if (steps++ == INSTRUCTIONS_MAX || !sym_step_at(hook, low, high, &step) || !go(search, &step) ||
        !leave(search, &step, low)) {
      search->bits.bits = 0;
      return search->set_count ? SYM_KEPT_SET : SYM_KEPT_UNKNOWN;
    }
    /* What has been lost to an optimisation is not told where it is set. */
    search->is_unknown |= !search->is_told && !step.is_padding;
  }
  if (search->set_count || search->end_count)
    return SYM_KEPT_SET;
  return search->is_unknown ? SYM_KEPT_UNCHANGED : SYM_KEPT;
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
 * parameter, and the copy does so once: that it is not done yet tells that what is there is what was passed. On any way
 * will do. */
static bool is_set_behind(const struct sym_location_context *context, const struct entry *entry, uint64_t registers)
{
  struct sym_step step;
  struct sym_holders holders = {.registers = registers, .size = entry->size};
  Dwarf_Addr at = context->pc;
  for (unsigned steps = 0; entry->is_set_once && steps < INSTANCE_STEPS; steps++) {
    if (!sym_step_at(context->hook, at, UINT64_MAX, &step))
      return false;
    const uint64_t reads = sym_operands_of(&step.instruction).reads;
    if (is_same_operation(&step.instruction, &entry->setter) && reads && !(reads & ~holders.registers))
      return true;
    const bool is_jump = !step.falls_through && step.target > at;
    if ((!step.falls_through && !is_jump) || !sym_holders_step(&holders, context->hook->processor, &step))
      return false;
    at = is_jump ? step.target : at + step.size;
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

/* Prepares to follow a parameter of `size` bytes of the copy from where its caller puts it. False: it comes in parts.
 */
static bool begin(struct search *search, Dwarf_Die *whole, const struct sym_abi_place *place, uint64_t size)
{
  const struct sym_processor *processor = search->context->hook->processor;
  const uint64_t stack = sym_register_bit(processor->stack_pointer);
  const int base = sym_frame_register(whole);
  if (size > sizeof(uint64_t))
    return false;
  search->list.frame = stack | (base < 0 ? 0 : sym_register_bit((uint64_t)base));
  search->list.size = search->now.holders.size = (uint8_t)size;
  if (place->kind == SYM_ABI_IN_REGISTERS && place->word_count == 1)
    search->list.passed = search->now.holders.registers = sym_register_bit(place->registers[0]);
  else if (place->kind == SYM_ABI_ON_STACK && search->list.frame == stack)
    sym_holders_add_slot(&search->now.holders, stack, place->offset + processor->entry_cfa);
  else
    return false;
  return true;
}

/* Notes where a parameter of `size` bytes is passed, and what of that the copy's code does not look at. */
static void note_unread(const struct search *search, const struct sym_abi_place *place, uint64_t size,
                        struct entry *entry)
{
  struct sym_entry_places asked = {0};
  for (unsigned i = 0; place->kind == SYM_ABI_IN_REGISTERS && i < place->word_count; i++) {
    entry->registers[i] = place->registers[i];
    asked.registers |= sym_register_bit(place->registers[i]);
  }
  if (place->kind == SYM_ABI_ON_STACK) {
    entry->offset = place->offset;
    asked.words = sym_entry_words(place->offset, size);
  }
  if (!asked.registers && !asked.words)
    return;
  const struct sym_entry_places read = sym_entry_reads(search->context->hook, search->low, search->high, asked);
  entry->unread.registers = asked.registers & ~read.registers;
  entry->unread.words = asked.words & ~read.words;
}

/* Follows a parameter of the copy. */
static void examine_list(struct search *search, Dwarf_Die *whole, Dwarf_Die *parameter, struct entry *entry)
{
  Dwarf_Attribute attribute;
  /* Even of what a function does not use clang tells where it was passed. */
  if (!dwarf_attr(parameter, DW_AT_location, &attribute)) {
    entry->kept = SYM_KEPT_SET;
    return;
  }
  if (!sym_statements_read(&search->list, whole, &attribute, search->low, search->high))
    return;
  for (unsigned i = 0; i < search->list.count; i++)
    search->is_unknown |=
        search->list.statements[i].start < search->low || search->list.statements[i].end > search->high;
  search->bits = (struct sym_bits_read){.low = search->low, .high = search->high, .frame = search->list.frame};
  entry->kept = follow(search);
  entry->is_set_once = search->set_count == 1 && search->setter.is_of_parameter;
  entry->setter = search->setter.instruction;
  entry->size = search->list.size;
  entry->bits = search->bits.bits;
  entry->goes_on = search->bits.goes_on;
}

/* Finds out about a parameter of the copy. */
static void examine(const struct sym_location_context *context, Dwarf_Die *whole, Dwarf_Die *parameter,
                    struct entry *entry)
{
  Dwarf_Die type;
  struct sym_abi abi;
  struct search search = {.context = context, .low = sym_step_past_landing(context->hook, context->whole_entry)};
  *entry = (struct entry){.kept = SYM_KEPT_UNKNOWN};
  sym_abi_assign(whole, false, &abi);
  const struct sym_abi_place *place = sym_abi_place_of(&abi, parameter);
  const uint64_t size = sym_type_of(parameter, &type) ? sym_type_size(&type) : 0;
  if (dwarf_highpc(whole, &search.high) != 0 || !place || place->is_reference || size == 0)
    return;
  note_unread(&search, place, size, entry);
  if (begin(&search, whole, place, size))
    examine_list(&search, whole, parameter, entry);
}

/* Notes an entry for the next instance. That memory is short costs no more than the time to find it again. */
static void remember(struct sym_kept_parameters *parameters, uint64_t key, const struct entry *entry)
{
  parameters->entries.entry_size = sizeof *entry;
  struct entry *added = base_vector_add(&parameters->entries, 1);
  if (added && sym_address_map_put(&parameters->known, key, parameters->entries.count - 1) == 0)
    *added = *entry;
}

/* What was found of the parameter of that name in the copy. False: there is none that can be examined. */
static bool find_entry(const struct sym_location_context *context, Dwarf_Die *die, struct entry *entry)
{
  Dwarf_Die whole, parameter;
  if (!context->whole || !context->hook->processor->has_flow)
    return false;
  whole = *context->whole;
  if (!find_parameter(&whole, die, &parameter))
    return false;
  const uint64_t key = (uint64_t)(uintptr_t)parameter.addr;
  const uint32_t known = sym_address_map_get(&context->kept->known, key);
  if (known != UINT32_MAX) {
    *entry = *(const struct entry *)base_vector_at(&context->kept->entries, known);
  } else {
    examine(context, &whole, &parameter, entry);
    remember(context->kept, key, entry);
  }
  return true;
}

enum sym_kept sym_parameter_kept(const struct sym_location_context *context, Dwarf_Die *die,
                                 const struct sym_location *location)
{
  struct entry entry;
  if (!find_entry(context, die, &entry))
    return SYM_KEPT_UNKNOWN;
  const bool is_set_later = entry.kept == SYM_KEPT_SET && is_set_behind(context, &entry, sym_abi_register_of(location));
  return is_set_later ? SYM_KEPT_UNCHANGED : entry.kept;
}

/* Whether the instance, behind its hook's call, does that with what lies in registers (their bits). On any way will do.
 */
static bool goes_on_behind(const struct sym_location_context *context, uint64_t registers, uint64_t frame)
{
  struct sym_step step;
  struct sym_holders holders = {.registers = registers, .size = 1};
  struct sym_bits_read read = {.high = UINT64_MAX, .frame = frame};
  Dwarf_Die entered = *context->entered;
  Dwarf_Addr at = context->pc;
  for (unsigned steps = 0; steps < INSTANCE_STEPS && !read.goes_on && dwarf_haspc(&entered, at) == 1; steps++) {
    if (!sym_step_at(context->hook, at, UINT64_MAX, &step))
      return false;
    sym_bits_read_step(&read, &holders, &step);
    const bool is_jump = !step.falls_through && step.target > at;
    if ((!step.falls_through && !is_jump) || !sym_holders_step(&holders, context->hook->processor, &step))
      break;
    at = is_jump ? step.target : at + step.size;
  }
  return read.goes_on;
}

bool sym_parameter_goes_on(const struct sym_location_context *context, Dwarf_Die *die, uint64_t registers,
                           uint64_t frame)
{
  struct entry entry;
  return registers && find_entry(context, die, &entry) && entry.goes_on && goes_on_behind(context, registers, frame);
}

bool sym_parameter_is_unread(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset, uint64_t size)
{
  struct entry entry;
  if (offset < 0 || !find_entry(context, die, &entry))
    return false;
  if (entry.unread.words) {
    const uint64_t words = sym_entry_words(entry.offset + offset, size);
    return words && !(words & ~entry.unread.words);
  }
  uint64_t registers = 0;
  for (unsigned i = 0; i < sizeof entry.registers; i++)
    if ((uint64_t)offset < (i + 1) * sizeof(uint64_t) && i * sizeof(uint64_t) < (uint64_t)offset + size)
      registers |= sym_register_bit(entry.registers[i]);
  return entry.unread.registers && !(registers & ~entry.unread.registers);
}

uint64_t sym_parameter_bits(const struct sym_location_context *context, Dwarf_Die *die)
{
  struct entry entry;
  return find_entry(context, die, &entry) ? entry.bits : 0;
}

void sym_kept_parameters_free(struct sym_kept_parameters *parameters)
{
  sym_address_map_free(&parameters->known);
  base_vector_free(&parameters->entries);
}
