/*
 * Follows what an instruction loads to the call that it is meant for.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode maps).
 */
#include "symbols/flow/handed_on.h"

#include "symbols/flow/operands.h"
#include "symbols/processor/x86_64.h"

enum {
  STEPS_MAX = 64, /* instructions from the load up to the call */
  RSP = 4         /* as the machine numbers it */
};

/* Of `mov`: 0x8b or 0x89; and the vector registers' moves of a whole operand. */
static bool is_load(const struct sym_instruction *one)
{
  if (!one->is_memory)
    return false;
  if (one->map == SYM_MAP_ONE_BYTE)
    return !one->is_vex && one->opcode == 0x8b;
  return one->map == SYM_MAP_0F && (one->opcode == 0x10 || one->opcode == 0x28 || one->opcode == 0x6f ||
                                    (one->opcode == 0x7e && one->prefix == 0xf3));
}

/* The register that a move stores, as a bit; 0: it is none. */
static uint64_t stored_register(const struct sym_instruction *one)
{
  if (!one->is_memory)
    return 0;
  if (one->map == SYM_MAP_ONE_BYTE)
    return !one->is_vex && one->opcode == 0x89 ? sym_general_register(one->reg) : 0;
  const bool is_vector = one->map == SYM_MAP_0F && (one->opcode == 0x11 || one->opcode == 0x29 || one->opcode == 0x7f ||
                                                    (one->opcode == 0xd6 && one->prefix == 0x66));
  return is_vector ? sym_vector_register(one->reg) : 0;
}

/* Whether memory lies at the stack pointer or above it, where arguments are put for a call. */
static bool is_for_call(const struct sym_instruction *one)
{
  return one->base == RSP && one->index == SYM_NO_REGISTER && one->displacement >= 0 && !one->has_other_addresses;
}

/* Where the function begins that a call leads to; 0: that is not known, or it lies elsewhere. */
static uint64_t called_by(const struct sym_hook *hook, uint64_t at, const struct sym_step *call)
{
  struct sym_step first;
  const uint64_t target = at + call->size + (uint64_t)call->instruction.immediate;
  const uint64_t entry = call->instruction.opcode == 0xe8 ? sym_step_past_landing(hook, target) : 0;
  return entry && sym_step_at(hook, entry, UINT64_MAX, &first) && !first.is_indirect ? entry : 0;
}

bool sym_is_handed_on(const struct sym_hook *hook, uint64_t at, uint64_t high, struct sym_handed_on *handed)
{
  struct sym_step step;
  if (!sym_step_at(hook, at, high, &step) || !is_load(&step.instruction))
    return false;
  const uint64_t loaded = sym_operands_of(&step.instruction).writes;
  *handed = (struct sym_handed_on){.registers = loaded};
  at += step.size;
  for (unsigned i = 0; i < STEPS_MAX && sym_step_at(hook, at, high, &step) && step.falls_through && !step.target; i++) {
    const struct sym_instruction *one = &step.instruction;
    const struct sym_operands operands = sym_operands_of(one);
    if (step.is_call) {
      handed->target = called_by(hook, at, &step);
      return handed->target && handed->size && !(loaded & sym_x86_64.callee_saved);
    }
    int64_t by;
    if (operands.writes == UINT64_MAX || sym_moves_stack(one, &operands, &by))
      return false;
    const bool is_stored = handed->registers && stored_register(one) == handed->registers;
    if (is_stored ? handed->size || !is_for_call(one) : (operands.reads & handed->registers) != 0)
      return false;
    if (is_stored) {
      handed->offset = one->displacement;
      handed->size = operands.size;
    }
    handed->registers &= ~operands.writes;
    at += step.size;
  }
  return false;
}
