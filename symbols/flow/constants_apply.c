/*
 * Carries out an instruction of any processor.
 */
#include "symbols/flow/constants.h"

void sym_constants_apply(struct sym_constants *state, struct sym_constant_slots *slots, const struct sym_hook *hook,
                         uint64_t at, const struct sym_step *step)
{
  if (hook->processor == &sym_aarch64)
    sym_constants_apply_aarch64(state, slots, hook, at, step->word);
  else
    sym_constants_apply_x86_64(state, slots, hook, at, &step->instruction);
}
