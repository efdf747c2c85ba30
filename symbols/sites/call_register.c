/* Follows an argument and the register that it is told from to the call. */
#include "symbols/sites/call_register.h"

#include "symbols/flow/holders.h"
#include "symbols/flow/operands.h"
#include "symbols/flow/step.h"
#include "symbols/processor/processor.h"

enum { SIZE = 4 }; /* bytes that a copy has to keep: no more are asked for of most arguments */

bool sym_call_register_holds(const struct sym_hook *hook, uint64_t low, uint64_t pc, uint8_t reg, uint8_t source)
{
  const uint64_t argument = UINT64_C(1) << reg, told = UINT64_C(1) << source;
  struct sym_holders holders = {.registers = argument, .size = SIZE};
  struct sym_step step;
  bool is_changed = false;
  if (!hook->processor->has_flow)
    return true;
  while (low < pc && sym_step_at(hook, low, pc, &step)) {
    const struct sym_operands operands = sym_operands_of(&step.instruction);
    struct sym_holders copied = {.registers = operands.reads, .size = SIZE};
    low += step.size;
    if (low == pc)
      return !is_changed;
    if (step.is_call) {
      holders = (struct sym_holders){.registers = argument, .size = SIZE};
      is_changed = false;
      continue;
    }
    if (!sym_holders_step(&holders, hook->processor, &step) || !sym_holders_step(&copied, hook->processor, &step))
      return false;
    if (operands.writes & argument) {
      holders = (struct sym_holders){.registers = argument, .size = SIZE};
      holders.registers |= copied.registers & argument ? copied.registers : 0;
      is_changed = false;
    }
    if (operands.writes & told & ~argument)
      is_changed = !(holders.registers & told);
  }
  return false;
}
