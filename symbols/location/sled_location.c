/*
 * Tells what exists at a function's first instruction from what does not yet.
 */
#include "symbols/location/sled_location.h"

#include "symbols/processor/x86_64.h"

enum {
  CFA_OFFSET = 8, /* of the canonical frame address from the stack pointer at a sled */
  VECTORS = 8     /* xmm0 to xmm7 pass arguments */
};

bool sym_is_there_at_entry(const struct sym_location_context *context, uint64_t reg)
{
  return !context->sled_end || reg == SYM_RDX || reg == SYM_RCX || reg == SYM_RSI || reg == SYM_RDI || reg == SYM_R8 ||
         reg == SYM_R9 || (reg >= SYM_XMM0 && reg < SYM_XMM0 + VECTORS);
}

/* Whether ops[0] pushes the stack pointer and ops[1], if it belongs to it, leads to `inner` bytes from something that
 * the caller wrote. */
static bool is_of_caller(const struct fmt_op *ops, unsigned count, int64_t inner)
{
  int64_t offset = inner;
  if (count > 1 && (ops[1].code == FMT_OP_ADD_CONST || ops[1].code == FMT_OP_FRAME_LOAD))
    offset = count == 2 && ops[1].code == FMT_OP_ADD_CONST ? ops[1].imm + inner : ops[1].imm;
  return offset >= CFA_OFFSET;
}

void sym_sled_settle(struct sym_location *location)
{
  if (location->kind != SYM_LOCATION_MEMORY && location->kind != SYM_LOCATION_VALUE)
    return;
  const struct sym_code *code = &location->code;
  for (unsigned i = 0; i < code->count; i++)
    if ((code->ops[i].code == FMT_OP_REG && code->ops[i].reg == SYM_RSP &&
         !is_of_caller(&code->ops[i], code->count - i, location->inner)) ||
        code->ops[i].code == FMT_OP_CFA) {
      sym_location_lose(location, SYM_LOST_NOT_YET);
      return;
    }
}
