/* Follows straight code behind the hook's call to where an inlined function's parameter is told. */
#include "symbols/location/inlined_later.h"

#include <dwarf.h>

#include "symbols/elf/hook_way.h"
#include "symbols/flow/flow.h"
#include "symbols/flow/operands.h"
#include "symbols/flow/step.h"
#include "symbols/location/composite_location.h"
#include "symbols/location/inlined_location.h"
#include "symbols/location/location_list.h"
#include "symbols/location/post_call_location.h"
#include "symbols/location/statements.h"
#include "symbols/processor/x86_64.h"

enum {
  CHOICES_MAX = 3, /* conditional jumps that are followed both ways */
  USE_STEPS = 8,   /* instructions behind a call in which its result is looked for */
};

/* One way through the code behind the hook's call, past other calls. */
struct walk {
  struct sym_flow flow;
  struct sym_step step;  /* the instruction at flow.at */
  uint64_t fresh;        /* bits of the registers that hold what has come into being behind the hook's call */
  bool is_fresh;         /* so have the operands of the latest comparison */
  bool for_constant;     /* a number is looked for, which no call can change */
  bool has_left;         /* the hook of exits was called, for the function or for one that is not known */
  unsigned choices;      /* a bit for each conditional jump to come: it is taken */
  unsigned choice_count; /* those passed */
};

/* Whether a hook's call that the walk has come to is for another function than the one that was entered. */
static bool is_for_another(const struct sym_location_context *context, const struct walk *walk)
{
  struct sym_code function = {0};
  const uint8_t known = sym_flow_push(&walk->flow, SYM_RDI, &function);
  const struct fmt_op *op = function.ops;
  return known == sizeof(uint64_t) && function.count == 1 && (op->code == FMT_OP_ADDRESS || op->code == FMT_OP_CONST) &&
         (uint64_t)op->imm != context->whole_entry;
}

/* Whether a call may enter the function again: it is the hook's, or it does not say where it leads. */
static bool enters_again(const struct sym_location_context *context, const struct walk *walk,
                         const struct sym_code_bytes *code)
{
  bool is_lazy;
  if (sym_hook_call_at(context->hook, code, (size_t)(walk->flow.at - code->address), &is_lazy) == 0)
    return walk->step.instruction.opcode == 0xff && !walk->step.instruction.is_memory;
  return !is_for_another(context, walk);
}

static bool calls_hook(const struct sym_location_context *context, const struct walk *walk,
                       const struct sym_code_bytes *code)
{
  struct sym_code_way way;
  return context->hook->processor->call_at(code, (size_t)(walk->flow.at - code->address), &way) &&
         sym_hook_leads_to(context->hook, &way);
}

/* Whether the code behind a call uses what that returns: then it does return. */
static bool uses_result(const struct sym_location_context *context, const struct walk *walk)
{
  const uint64_t result = sym_register_bit(SYM_RAX);
  struct sym_step next = walk->step;
  uint64_t at = walk->flow.at;
  for (unsigned i = 0; i < USE_STEPS; i++) {
    at += next.size;
    if (!sym_step_at(context->hook, at, UINT64_MAX, &next) || next.is_call || next.target || !next.falls_through)
      return false;
    const struct sym_operands operands = sym_operands_of(&next.instruction);
    if (operands.reads & result)
      return true;
    if (operands.writes & result)
      return false;
  }
  return false;
}

/* Whether an instruction's operand lies in memory that is not the frame's. */
static bool is_outside(const struct sym_location_context *context, const struct sym_instruction *instruction)
{
  const struct sym_frame_bases bases = sym_location_bases(context);
  const uint64_t frame = sym_register_bit((uint64_t)bases.stack_pointer) | sym_register_bit((uint64_t)bases.cfa);
  return instruction->is_memory && !(sym_general_register(instruction->base) & frame);
}

static bool is_compare(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  const unsigned operation = instruction->reg & 7;
  if (instruction->map != SYM_MAP_ONE_BYTE || instruction->is_vex)
    return false;
  return (opcode >= 0x38 && opcode <= 0x3d) || opcode == 0x84 || opcode == 0x85 || opcode == 0xa8 || opcode == 0xa9 ||
         ((opcode == 0x80 || opcode == 0x81 || opcode == 0x83) && operation == 7) ||
         ((opcode == 0xf6 || opcode == 0xf7) && operation < 2);
}

/* Whether an instruction moves what it finds. */
static bool is_move(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  if (instruction->is_vex)
    return false;
  return instruction->map == SYM_MAP_0F
             ? opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf
             : instruction->map == SYM_MAP_ONE_BYTE && (opcode == 0x63 || (opcode >= 0x88 && opcode <= 0x8b));
}

/* Whether it leaves the flags alone: moves do, of constants too, and what forms an address. */
static bool keeps_flags(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  return is_move(instruction) || (!instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE &&
                                  (opcode == 0x8d || (opcode & 0xf0) == 0xb0 || opcode == 0xc6 || opcode == 0xc7));
}

/* Follows what has come into being behind the hook's call: what is loaded from memory that is not the frame's, and what
 * calls return. Nothing that was passed was made of it. */
static void freshen(const struct sym_location_context *context, struct walk *walk)
{
  const struct sym_instruction *instruction = &walk->step.instruction;
  const struct sym_operands operands = sym_operands_of(instruction);
  const uint64_t data = sym_general_register(instruction->reg);
  const uint8_t opcode = instruction->opcode;
  const bool is_with_register = opcode < 0x40 || opcode == 0x84 || opcode == 0x85;
  const bool is_fresh =
      instruction->is_memory ? is_outside(context, instruction) : operands.reads && !(operands.reads & ~walk->fresh);
  if (walk->step.is_call)
    walk->fresh = (walk->fresh & context->hook->processor->callee_saved) | sym_register_bit(SYM_RAX);
  else
    walk->fresh =
        (walk->fresh & ~operands.writes) | (is_move(instruction) && is_fresh && !operands.stores ? operands.writes : 0);
  if (is_compare(instruction))
    walk->is_fresh = is_fresh && (!instruction->is_memory || !is_with_register || data & walk->fresh);
  else
    walk->is_fresh &= keeps_flags(instruction) || walk->step.is_padding;
}

/* Past a call. False: it may enter the function again, or not return. */
static bool walk_past_call(const struct sym_location_context *context, struct walk *walk,
                           const struct sym_code_bytes *code)
{
  const bool is_hook = calls_hook(context, walk, code);
  const bool is_safe = is_hook || walk->for_constant || uses_result(context, walk);
  if (!is_safe || enters_again(context, walk, code))
    return false;
  walk->has_left |= is_hook && !is_for_another(context, walk);
  return sym_flow_step_past_call(&walk->flow);
}

/* To the next instruction. False: it is not known, or may not be reached, or belongs to what follows the function. */
static bool walk_on(const struct sym_location_context *context, struct walk *walk)
{
  const struct sym_code_bytes *code = sym_hook_code_at(context->hook, walk->flow.at);
  const struct sym_step *step = &walk->step;
  if (!code || !sym_step_at(context->hook, walk->flow.at, UINT64_MAX, &walk->step))
    return false;
  const bool is_choice = step->target && step->falls_through && !step->is_call;
  if (walk->has_left && (step->is_call || is_choice || !step->falls_through))
    return false;
  /* A jump back leads to where another copy of the function may come, too. */
  if (!step->is_call && step->target && step->target <= walk->flow.at)
    return false;
  /* Behind a jump that depends on what was there when the hook was called a compiler computes with what that tells. */
  if (is_choice && (walk->for_constant || !walk->is_fresh))
    return false;
  if (is_choice) {
    const bool is_taken = walk->choices >> walk->choice_count & 1;
    return walk->choice_count++ < CHOICES_MAX && sym_flow_step_past_jump(&walk->flow, is_taken);
  }
  freshen(context, walk);
  return step->is_call ? walk_past_call(context, walk, code) : sym_flow_step(&walk->flow);
}

/* Whether the function is entered again before anything else is called: what is told behind the exit belongs to that
 * copy of it, in a loop. */
static bool is_before_entry(const struct sym_location_context *context, struct walk *walk)
{
  const struct sym_code_bytes *code;
  while (walk_on(context, walk))
    ;
  code = sym_hook_code_at(context->hook, walk->flow.at);
  return !code ||
         (walk->step.is_call ? enters_again(context, walk, code) : walk->step.falls_through && !walk->step.target);
}

/* The entry of a list that begins at `start`. */
static bool entry_at(Dwarf_Attribute *attribute, Dwarf_Addr start, struct sym_location_list *list)
{
  *list = (struct sym_location_list){.attribute = attribute};
  while (sym_location_list_next(list))
    if (list->start == start && list->start < list->end && list->count > 0)
      return true;
  return false;
}

/* The first place on a way where a list tells of the parameter; of constants, where it tells one. */
static bool first_told(const struct sym_location_context *context, Dwarf_Attribute *attribute, struct walk *walk,
                       int64_t offset, uint64_t size, struct sym_location *location)
{
  struct sym_location_list entry;
  struct sym_location_context later = *context;
  later.flow = &walk->flow;
  sym_flow_begin(&walk->flow, context->hook, context->pc, sym_location_bases(context));
  walk->flow.spills = context->spills;
  walk->flow.physical = context->physical;
  walk->flow.frame = context->frame;
  bool is_found = false;
  while (!is_found && walk_on(context, walk)) {
    if (!entry_at(attribute, walk->flow.at, &entry))
      continue;
    sym_composite_location(&later, SYM_LATER, attribute, entry.ops, entry.count, offset, size, location);
    is_found = !walk->for_constant || sym_location_is_constant(location);
  }
  return is_found && location->kind != SYM_LOCATION_LOST &&
         (context->writes_after_call || !sym_post_call_is_elsewhere(location)) &&
         !(walk->has_left && is_before_entry(context, walk));
}

bool sym_inlined_later(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset, uint64_t size,
                       struct sym_location *location)
{
  Dwarf_Attribute attribute;
  struct sym_location found;
  const bool is_untold = location->lost == SYM_LOST_NO_RANGE;
  if (!context->hook->processor->has_flow || (!is_untold && !context->writes_after_call) ||
      !dwarf_attr(die, DW_AT_location, &attribute) || !sym_inlined_keeps(context, die, location))
    return false;
  struct walk walk = {.for_constant = true};
  bool is_found = first_told(context, &attribute, &walk, offset, size, &found);
  for (unsigned choices = 0; !is_found && is_untold && choices < 1U << CHOICES_MAX; choices++) {
    walk = (struct walk){.choices = choices};
    is_found = first_told(context, &attribute, &walk, offset, size, &found);
  }
  if (is_found)
    *location = found;
  return is_found;
}
