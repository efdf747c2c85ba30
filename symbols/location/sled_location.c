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

/* Adds to `offset` what ops[at] and those that belong to it add to the top: how many they are, 0 where they do
 * something else. */
static unsigned add_sum(const struct fmt_op *ops, unsigned at, unsigned count, uint64_t *offset)
{
  if (at < count && ops[at].code == FMT_OP_ADD_CONST) {
    *offset += (uint64_t)ops[at].imm;
    return 1;
  }
  bool is_pair = at + 1 < count && ops[at].code == FMT_OP_CONST;
  if (!is_pair || (ops[at + 1].code != FMT_OP_PLUS && ops[at + 1].code != FMT_OP_MINUS))
    return 0;
  *offset += ops[at + 1].code == FMT_OP_PLUS ? (uint64_t)ops[at].imm : 0 - (uint64_t)ops[at].imm;
  return 2;
}

/* Whether ops[0], which pushes the stack pointer, and the sums that follow lead to something that the caller wrote:
 * where they are loaded from or, at the end, `inner` bytes from there. */
static bool is_of_caller(const struct fmt_op *ops, unsigned count, int64_t inner)
{
  uint64_t offset = 0;
  unsigned at = 1;
  for (unsigned added = 1; added; at += added)
    added = add_sum(ops, at, count, &offset);
  if (at < count && ops[at].code != FMT_OP_FRAME_LOAD && ops[at].code != FMT_OP_LOAD)
    return false;
  return (int64_t)(offset + (uint64_t)(at < count ? ops[at].imm : inner)) >= CFA_OFFSET;
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
