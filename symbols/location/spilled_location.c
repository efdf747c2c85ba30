/* Holds what clang tells from a spill slot against the slot's size. */
#include "symbols/location/spilled_location.h"

#include "symbols/flow/spill.h"

enum { NARROW = 4 /* bytes of a slot that descriptions may load 8 of */ };

/* Whether more bytes are loaded than a spill slot has, of which the others are something else. */
static bool loads_beyond(const struct sym_location_context *context, const struct fmt_op *base,
                         const struct fmt_op *load)
{
  if (load->code != FMT_OP_FRAME_LOAD || base->code != FMT_OP_REG)
    return false;
  const uint8_t spilled = sym_spill_size(context->spills, context->physical, context->frame, base->reg, load->imm);
  return spilled && spilled < load->size;
}

/* Whether the operation at `at`, or the two there, cut off what such a slot does not have. */
static bool is_cut(const struct sym_code *code, unsigned at)
{
  const struct fmt_op *ops = code->ops;
  return (at < code->count && ops[at].code == FMT_OP_EXTEND && ops[at].size <= NARROW) ||
         (at < code->count && ops[at].code == FMT_OP_BITS && ops[at].imm + ops[at].size <= NARROW * 8) ||
         (at + 1 < code->count && ops[at].code == FMT_OP_CONST && (uint64_t)ops[at].imm <= UINT32_MAX &&
          ops[at + 1].code == FMT_OP_AND);
}

/* Whether the low bytes of what an operation computes depend on the high ones of what it is given. */
static bool looks_above(uint8_t code)
{
  return code == FMT_OP_SHR || code == FMT_OP_SHRA || code == FMT_OP_DIV || code == FMT_OP_MOD ||
         code == FMT_OP_BRANCH || (code >= FMT_OP_EQ && code <= FMT_OP_NE);
}

/* Whether a value of `size` bytes depends on bytes behind a spill slot. */
static bool depends_on_neighbour(const struct sym_location_context *context, const struct sym_code *code, uint64_t size)
{
  bool is_wide = false;
  for (unsigned i = 1; i < code->count; i++) {
    is_wide |= loads_beyond(context, &code->ops[i - 1], &code->ops[i]) && (size > NARROW || !is_cut(code, i + 1));
    if (is_wide && (size > NARROW || looks_above(code->ops[i].code)))
      return true;
  }
  return false;
}

void sym_settle_spilled(const struct sym_location_context *context, uint64_t size, struct sym_location *location)
{
  uint8_t base;
  int64_t offset;
  if (!context->writes_after_call || location->inner)
    return;
  if (location->kind == SYM_LOCATION_VALUE && depends_on_neighbour(context, &location->code, size))
    sym_location_lose(location, SYM_LOST_PIECE);
  if (size <= NARROW || location->kind != SYM_LOCATION_MEMORY || !sym_code_is_sum(&location->code, &base, &offset))
    return;
  const uint8_t spilled = sym_spill_size(context->spills, context->physical, context->frame, base, offset);
  if (spilled && spilled < size)
    sym_location_lose(location, SYM_LOST_PIECE);
}
