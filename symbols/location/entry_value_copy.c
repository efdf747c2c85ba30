/*
 * Finds a copy, in a register or the frame, of what a register held when the function was entered.
 */
#include "symbols/location/entry_value_copy.h"

#include "symbols/flow/flow.h"
#include "symbols/location/hook_registers.h"
#include "symbols/processor/x86_64.h"

/* How many low bytes of a followed value are those of `reg` on entry; 0: it is something else. Extensions keep what
 * they extend. */
static uint8_t copied_bytes(const struct fmt_op *ops, unsigned count, uint8_t known, unsigned reg)
{
  if (count < 1 || ops[0].code != FMT_OP_REG || ops[0].reg != reg)
    return 0;
  for (unsigned i = 1; i < count; i++) {
    if (ops[i].code != FMT_OP_EXTEND)
      return 0;
    if (ops[i].size < known)
      known = ops[i].size;
  }
  return known;
}

/* Follows the prologue up to the call. */
static bool follow(const struct sym_location_context *context, struct sym_flow *flow)
{
  sym_flow_begin_function(flow, context->hook, context->entry);
  while (flow->at != context->call)
    if (!sym_flow_step_over(flow))
      return false;
  return true;
}

/* The best copy in a register that the hook sees. */
static uint8_t find_register(const struct sym_location_context *context, const struct sym_flow *flow, unsigned reg,
                             unsigned *copy)
{
  uint8_t best = 0;
  const struct sym_processor *processor = context->hook->processor;
  for (unsigned i = 0; i < processor->register_count; i++) {
    struct sym_code value = {0}, push = {0};
    uint8_t known = sym_flow_push(flow, i, &value);
    uint8_t copied = copied_bytes(value.ops, value.count, known, reg);
    if (copied <= best || processor->lost_at_first_call >> i & 1 ||
        sym_push_register(context, SYM_AT_CALL, i, &push) != SYM_LOST_NOT)
      continue;
    best = copied;
    *copy = i;
  }
  return best;
}

/* The best copy in the frame: `offset` is from the stack pointer on entry. */
static uint8_t find_slot(const struct sym_flow *flow, unsigned reg, int64_t *offset)
{
  const uint8_t stack_pointer = flow->hook->processor->stack_pointer;
  uint8_t best = 0;
  for (unsigned i = 0; i < flow->store_count; i++) {
    const struct sym_flow_store *store = &flow->stores[i];
    uint8_t copied = copied_bytes(store->value.ops, store->value.count, store->value.known, reg);
    struct sym_code now = {0};
    if (copied > store->size)
      copied = store->size;
    if (copied <= best || !store->has_base || store->base != stack_pointer ||
        sym_flow_memory_at(flow, stack_pointer, store->offset, copied, &now) != SYM_FLOW_STORED ||
        copied_bytes(now.ops, now.count, copied, reg) < copied)
      continue;
    best = copied;
    *offset = store->offset;
  }
  return best;
}

uint8_t sym_entry_value_copy(const struct sym_location_context *context, unsigned reg, struct sym_code *code)
{
  struct sym_flow flow;
  unsigned copy = 0;
  int64_t offset = 0;
  if (context->sled_end)
    return sym_push_register(context, SYM_AT_CALL, reg, code) == SYM_LOST_NOT ? 8 : 0;
  if (!context->entry || !follow(context, &flow))
    return 0;
  uint8_t in_register = find_register(context, &flow, reg, &copy), in_slot = find_slot(&flow, reg, &offset);
  if (in_register == 0 && in_slot == 0)
    return 0;
  if (in_register >= in_slot) {
    sym_push_register(context, SYM_AT_CALL, copy, code);
    return in_register;
  }
  /* On entry the stack pointer was this far below the canonical frame address. */
  if (sym_push_cfa(context, code) != SYM_LOST_NOT)
    return 0;
  sym_code_load(code, in_slot, offset - context->hook->processor->entry_cfa, sym_location_bases(context));
  return in_slot;
}

bool sym_entry_leads_to_call(const struct sym_location_context *context)
{
  struct sym_flow flow;
  return context->entry && follow(context, &flow);
}

bool sym_entry_register_is_kept(const struct sym_location_context *context, unsigned reg, unsigned at_call,
                                uint64_t size)
{
  struct sym_flow flow;
  struct sym_code value = {0};
  if (!context->entry || !follow(context, &flow))
    return true;
  const uint8_t known = sym_flow_push(&flow, at_call, &value);
  return copied_bytes(value.ops, value.count, known, reg) >= size;
}

/* Whether what was stored is what a register held on entry that passes no parameter: it is kept to be given back, or,
 * of x86-64's rax, pushed to make room. */
static bool passes_nothing(const struct sym_processor *processor, const struct sym_code *code)
{
  const struct fmt_op *op = code->ops;
  return code->count == 1 && op->code == FMT_OP_REG && op->imm == 0 &&
         (sym_is_callee_saved(processor, op->reg) || (processor == &sym_x86_64 && op->reg == SYM_RAX));
}

/* What code from the function's first instruction to the call has stored into a slot of the function's own frame. It is
 * not known where straight code does not lead there, or the slot is the caller's. */
static enum sym_flow_memory stored_by_entry(const struct sym_location_context *context, unsigned base, int64_t offset,
                                            uint8_t size, struct sym_code *stored)
{
  const struct sym_frame *frame = context->frame;
  const struct sym_processor *processor = context->hook->processor;
  struct sym_flow flow;
  if (frame->cfa_kind != FMT_CFA_REGISTER || frame->cfa_register != base || offset >= frame->cfa_offset ||
      !context->entry || !follow(context, &flow))
    return SYM_FLOW_UNKNOWN;
  /* Without signs, since a damaged description may be of any distance. */
  const int64_t at_entry = (int64_t)((uint64_t)offset - (uint64_t)frame->cfa_offset + processor->entry_cfa);
  return sym_flow_memory_at(&flow, processor->stack_pointer, at_entry, size, stored);
}

bool sym_entry_leaves_empty(const struct sym_location_context *context, unsigned base, int64_t offset, uint8_t size)
{
  struct sym_code stored = {0};
  const enum sym_flow_memory memory = stored_by_entry(context, base, offset, size, &stored);
  return memory == SYM_FLOW_UNTOUCHED ||
         (memory == SYM_FLOW_STORED && passes_nothing(context->hook->processor, &stored));
}

bool sym_entry_fills(const struct sym_location_context *context, unsigned base, int64_t offset, uint8_t size)
{
  struct sym_code stored = {0};
  return stored_by_entry(context, base, offset, size, &stored) == SYM_FLOW_STORED &&
         !passes_nothing(context->hook->processor, &stored) &&
         copied_bytes(stored.ops, stored.count, size, stored.ops[0].reg) >= size;
}
