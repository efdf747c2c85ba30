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
  /* rsi and rdi hold the hook's own arguments; at a sled nothing has been put there. */
  if (reg > SYM_R15 || (!context->sled_end && (reg == SYM_RSI || reg == SYM_RDI)))
    return SYM_LOST_REGISTER;
  if (moment == SYM_AFTER_CALL && !sym_is_callee_saved(reg) && reg != SYM_RSP)
    return SYM_LOST_REGISTER;
  bool is_volatile = context->is_lazy && (reg == SYM_RAX || reg == SYM_R10 || reg == SYM_R11);
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
