/*
 * Values that are followed, as ops that push them, and the memory that they were stored to.
 */
#include "symbols/flow/flow_values.h"

#include <string.h>

struct sym_flow_value sym_flow_one(uint8_t code, uint8_t reg, int64_t imm)
{
  return (struct sym_flow_value){.known = 8, .count = 1, .ops = {{.code = code, .reg = reg, .imm = imm}}};
}

struct sym_flow_value sym_flow_with(struct sym_flow_value value, uint8_t code, uint8_t size, uint8_t flags, int64_t imm)
{
  if (value.known == 0 || value.count == SYM_FLOW_OPS_MAX)
    return sym_flow_unknown;
  value.ops[value.count++] = (struct fmt_op){.code = code, .size = size, .flags = flags, .imm = imm};
  return value;
}

struct sym_flow_value sym_flow_extended(struct sym_flow_value value, uint8_t from, bool is_signed)
{
  if (value.known < from)
    return sym_flow_unknown;
  if (from == 8)
    return value;
  if (value.count == 1 && value.ops[0].code == FMT_OP_CONST) {
    unsigned shift = 64 - from * 8u;
    uint64_t high = (uint64_t)value.ops[0].imm << shift;
    return sym_flow_one(FMT_OP_CONST, 0, is_signed ? (int64_t)high >> shift : (int64_t)(high >> shift));
  }
  struct sym_flow_value result = sym_flow_with(value, FMT_OP_EXTEND, from, is_signed ? FMT_OPF_SIGNED : 0, 0);
  if (result.count)
    result.known = 8;
  return result;
}

struct sym_flow_value sym_flow_combined(struct sym_flow_value value, const struct sym_flow_value *other, uint8_t code)
{
  if (value.known < 8 || other->known < 8 || value.count + other->count + 1 > SYM_FLOW_OPS_MAX)
    return sym_flow_unknown;
  memcpy(value.ops + value.count, other->ops, other->count * sizeof *other->ops);
  value.count = (uint8_t)(value.count + other->count);
  return sym_flow_with(value, code, 0, 0, 0);
}

struct sym_flow_value sym_flow_plus(struct sym_flow_value value, int64_t offset)
{
  if (value.known < 8 || offset == 0)
    return value.known < 8 ? sym_flow_unknown : value;
  struct fmt_op *last = &value.ops[value.count - 1];
  bool sym_flow_is_sum = last->code == FMT_OP_ADD_CONST || last->code == FMT_OP_ADDRESS ||
                         (last->code == FMT_OP_CONST && value.count == 1);
  if (!sym_flow_is_sum)
    return sym_flow_with(value, FMT_OP_ADD_CONST, 0, 0, offset);
  last->imm = (int64_t)((uint64_t)last->imm + (uint64_t)offset);
  if (last->code == FMT_OP_ADD_CONST && last->imm == 0)
    value.count--;
  return value;
}

bool sym_flow_is_sum(const struct sym_flow_value *value, uint8_t *base, int64_t *offset)
{
  if (value->known < 8 || value->count < 1 || value->count > 2 || value->ops[0].code != FMT_OP_REG ||
      (value->count == 2 && value->ops[1].code != FMT_OP_ADD_CONST))
    return false;
  *base = value->ops[0].reg;
  *offset = value->count == 2 ? value->ops[1].imm : 0;
  return true;
}

/* Whether a store touches the `size` bytes at `offset` of the same base. */
static bool overlaps(const struct sym_flow_store *store, int64_t offset, uint8_t size)
{
  return offset < store->offset + store->size && store->offset < offset + size;
}

/* Whether a store to another place than the frame's leaves a place alone, as a call does: it is a spill slot, of at
 * least these bytes, whose address nothing has. */
static bool is_spill(const struct sym_flow *flow, uint8_t base, int64_t offset, uint8_t size)
{
  return flow->spills && sym_spill_size(flow->spills, flow->physical, flow->frame, base, offset) >= size;
}

static bool is_of_frame(const struct sym_flow *flow, const struct sym_flow_store *store)
{
  return store->has_base && (store->base == flow->bases.stack_pointer || store->base == flow->bases.cfa);
}

/* The newest store that may have touched the bytes decides; one to an unknown address may have touched any. */
enum sym_flow_memory sym_flow_look_up(const struct sym_flow *flow, uint8_t base, int64_t offset, uint8_t size,
                                      struct sym_flow_value *value)
{
  for (unsigned i = flow->store_count; i-- > 0;) {
    const struct sym_flow_store *store = &flow->stores[i];
    if (!is_of_frame(flow, store) && is_spill(flow, base, offset, size))
      continue;
    if (!store->has_base || store->base != base)
      return SYM_FLOW_UNKNOWN;
    if (!overlaps(store, offset, size))
      continue;
    int64_t inner = offset - store->offset;
    if (inner < 0 || inner + size > store->value.known)
      return SYM_FLOW_UNKNOWN;
    *value = store->value;
    if (inner)
      *value = sym_flow_with(sym_flow_with(*value, FMT_OP_CONST, 0, 0, inner * 8), FMT_OP_SHR, 0, 0, 0);
    if (inner && value->count)
      value->known = (uint8_t)(store->value.known - inner);
    return value->known >= size ? SYM_FLOW_STORED : SYM_FLOW_UNKNOWN;
  }
  return SYM_FLOW_UNTOUCHED;
}

struct sym_flow_value sym_flow_load(const struct sym_flow *flow, struct sym_flow_value address, uint8_t size)
{
  uint8_t base;
  int64_t offset;
  if (address.known < 8)
    return sym_flow_unknown;
  if (sym_flow_is_sum(&address, &base, &offset)) {
    struct sym_flow_value value;
    switch (sym_flow_look_up(flow, base, offset, size, &value)) {
    case SYM_FLOW_STORED:
      return value;
    case SYM_FLOW_UNKNOWN:
      return sym_flow_unknown;
    case SYM_FLOW_UNTOUCHED:
      break;
    }
    bool is_frame = (base == flow->bases.stack_pointer || base == flow->bases.cfa) && fmt_frame_reaches(offset);
    struct sym_flow_value result = sym_flow_one(FMT_OP_REG, base, 0);
    return sym_flow_with(result, is_frame ? FMT_OP_FRAME_LOAD : FMT_OP_LOAD, size, 0, offset);
  }
  if (flow->store_count)
    return sym_flow_unknown;
  return sym_flow_with(address, FMT_OP_LOAD, size, 0, 0);
}

bool sym_flow_store(struct sym_flow *flow, const struct sym_flow_value *address, uint8_t size,
                    struct sym_flow_value value)
{
  if (flow->store_count == SYM_FLOW_STORES_MAX)
    return false;
  struct sym_flow_store *added = &flow->stores[flow->store_count++];
  *added = (struct sym_flow_store){.size = size, .value = value};
  if (added->value.known > size)
    added->value.known = size;
  added->has_base = sym_flow_is_sum(address, &added->base, &added->offset);
  return true;
}
