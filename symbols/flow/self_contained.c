/*
 * Reads code for what leads out of it.
 */
#include "symbols/flow/self_contained.h"

#include "symbols/flow/step.h"
#include "symbols/processor/processor.h"

enum {
  OP_CALL = 0xe8,
  OP_GROUP5 = 0xff, /* by ModRM.reg: 2 and 3 call, 4 jumps, 5 jumps far */
  OP_SYSCALL = 0x05,
};

static bool calls(const struct sym_instruction *instruction)
{
  const uint8_t group = instruction->reg & 7;
  if (instruction->is_vex)
    return false;
  if (instruction->map == SYM_MAP_0F)
    return instruction->opcode == OP_SYSCALL;
  return instruction->map == SYM_MAP_ONE_BYTE &&
         (instruction->opcode == OP_CALL ||
          (instruction->opcode == OP_GROUP5 && (group == 2 || group == 3 || group == 5)));
}

bool sym_code_is_self_contained(const struct sym_hook *hook, uint64_t low, uint64_t high)
{
  struct sym_step step;
  if (hook->processor != &sym_x86_64)
    return false;
  for (uint64_t at = low; at < high; at += step.size)
    if (!sym_step_at(hook, at, high, &step) || calls(&step.instruction) ||
        (step.target && (step.target < low || step.target >= high)))
      return false;
  return true;
}
