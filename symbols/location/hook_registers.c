/*
 * Pushes what a register, or the canonical frame address, is at a site, as far as the hook can tell.
 */
#include "symbols/location/hook_registers.h"

#include "symbols/flow/flow.h"

enum sym_lost sym_push_register(const struct sym_location_context *context, enum sym_moment moment, unsigned reg,
                                struct sym_code *code)
{
  if (moment == SYM_LATER)
    return sym_flow_push(context->flow, reg, code) == 8 ? SYM_LOST_NOT : SYM_LOST_REGISTER;
  const struct sym_processor *processor = context->hook->processor;
  /* The hook's own arguments; at a sled nothing has been put there. */
  if (reg >= processor->register_count || (!context->sled_end && processor->lost_at_call >> reg & 1))
    return SYM_LOST_REGISTER;
  if (moment == SYM_AFTER_CALL && !sym_is_callee_saved(processor, reg) && reg != processor->stack_pointer)
    return SYM_LOST_REGISTER;
  bool is_volatile = context->is_lazy && processor->lost_at_first_call >> reg & 1;
  sym_code_add(code, FMT_OP_REG, (uint8_t)reg, 0, is_volatile ? FMT_OPF_VOLATILE : 0, 0);
  return SYM_LOST_NOT;
}

enum sym_lost sym_push_cfa(const struct sym_location_context *context, struct sym_code *code)
{
  const struct sym_frame *frame = context->frame;
  if (frame->cfa_kind == FMT_CFA_UNKNOWN)
    return SYM_LOST_CORRUPT;
  if (frame->cfa_kind == FMT_CFA_MEMORY) {
    sym_code_add(code, FMT_OP_CFA, 0, 0, 0, 0);
    return SYM_LOST_NOT;
  }
  /* The CFA is the same before and after the hook's call, and its register is read before. */
  enum sym_lost lost = sym_push_register(context, SYM_AT_CALL, frame->cfa_register, code);
  if (!lost)
    sym_code_add_constant(code, frame->cfa_offset);
  return lost;
}
