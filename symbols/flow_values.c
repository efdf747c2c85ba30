#include "flow_values.h"

#include <string.h>

#include "frame.h"

struct cs_flow_value cs_flow_one(uint8_t code, uint8_t reg, int64_t imm)
{
  return (struct cs_flow_value){.known = 8, .count = 1, .ops = {{.code = code, .reg = reg, .imm = imm}}};
}

struct cs_flow_value cs_flow_with(struct cs_flow_value value, uint8_t code, uint8_t size, uint8_t flags, int64_t imm)
{
  if (value.known == 0 || value.count == CS_FLOW_OPS_MAX)
    return cs_flow_unknown;
  value.ops[value.count++] = (struct cs_op){.code = code, .size = size, .flags = flags, .imm = imm};
  return value;
}

struct cs_flow_value cs_flow_extended(struct cs_flow_value value, uint8_t from, bool is_signed)
{
  if (value.known < from)
    return cs_flow_unknown;
  if (from == 8)
    return value;
  if (value.count == 1 && value.ops[0].code == CS_OP_CONST) {
    unsigned shift = 64 - from * 8u;
    uint64_t high = (uint64_t)value.ops[0].imm << shift;
    return cs_flow_one(CS_OP_CONST, 0, is_signed ? (int64_t)high >> shift : (int64_t)(high >> shift));
  }
  struct cs_flow_value result = cs_flow_with(value, CS_OP_EXTEND, from, is_signed ? CS_OPF_SIGNED : 0, 0);
  if (result.count)
    result.known = 8;
  return result;
}

struct cs_flow_value cs_flow_combined(struct cs_flow_value value, const struct cs_flow_value *other, uint8_t code)
{
  if (value.known < 8 || other->known < 8 || value.count + other->count + 1 > CS_FLOW_OPS_MAX)
    return cs_flow_unknown;
  memcpy(value.ops + value.count, other->ops, other->count * sizeof *other->ops);
  value.count = (uint8_t)(value.count + other->count);
  return cs_flow_with(value, code, 0, 0, 0);
}

struct cs_flow_value cs_flow_plus(struct cs_flow_value value, int64_t offset)
{
  if (value.known < 8 || offset == 0)
    return value.known < 8 ? cs_flow_unknown : value;
  struct cs_op *last = &value.ops[value.count - 1];
  bool cs_flow_is_sum =
      last->code == CS_OP_ADD_CONST || last->code == CS_OP_ADDRESS || (last->code == CS_OP_CONST && value.count == 1);
  if (!cs_flow_is_sum)
    return cs_flow_with(value, CS_OP_ADD_CONST, 0, 0, offset);
  last->imm = (int64_t)((uint64_t)last->imm + (uint64_t)offset);
  if (last->code == CS_OP_ADD_CONST && last->imm == 0)
    value.count--;
  return value;
}

bool cs_flow_is_sum(const struct cs_flow_value *value, uint8_t *base, int64_t *offset)
{
  if (value->known < 8 || value->count < 1 || value->count > 2 || value->ops[0].code != CS_OP_REG ||
      (value->count == 2 && value->ops[1].code != CS_OP_ADD_CONST))
    return false;
  *base = value->ops[0].reg;
  *offset = value->count == 2 ? value->ops[1].imm : 0;
  return true;
}

/* A store to [store->offset, + size) and the bytes at [offset, + size) of the same base. */
static bool overlaps(const struct cs_flow_store *cs_flow_store, int64_t offset, uint8_t size)
{
  return offset < cs_flow_store->offset + cs_flow_store->size && cs_flow_store->offset < offset + size;
}

/* The newest store that may have touched the bytes decides. */
enum cs_flow_memory cs_flow_look_up(const struct cs_flow *flow, uint8_t base, int64_t offset, uint8_t size,
                                    struct cs_flow_value *value)
{
  for (unsigned i = flow->store_count; i-- > 0;) {
    const struct cs_flow_store *cs_flow_store = &flow->stores[i];
    if (!cs_flow_store->has_base || cs_flow_store->base != base)
      return CS_FLOW_UNKNOWN;
    if (!overlaps(cs_flow_store, offset, size))
      continue;
    int64_t inner = offset - cs_flow_store->offset;
    if (inner < 0 || inner + size > cs_flow_store->value.known)
      return CS_FLOW_UNKNOWN;
    *value = cs_flow_store->value;
    if (inner)
      *value = cs_flow_with(cs_flow_with(*value, CS_OP_CONST, 0, 0, inner * 8), CS_OP_SHR, 0, 0, 0);
    if (inner && value->count)
      value->known = (uint8_t)(cs_flow_store->value.known - inner);
    return value->known >= size ? CS_FLOW_STORED : CS_FLOW_UNKNOWN;
  }
  return CS_FLOW_UNTOUCHED;
}

struct cs_flow_value cs_flow_load(const struct cs_flow *flow, struct cs_flow_value address, uint8_t size)
{
  uint8_t base;
  int64_t offset;
  if (address.known < 8)
    return cs_flow_unknown;
  if (cs_flow_is_sum(&address, &base, &offset)) {
    struct cs_flow_value value;
    switch (cs_flow_look_up(flow, base, offset, size, &value)) {
    case CS_FLOW_STORED:
      return value;
    case CS_FLOW_UNKNOWN:
      return cs_flow_unknown;
    case CS_FLOW_UNTOUCHED:
      break;
    }
    bool is_frame =
        (base == CS_RSP || base == flow->frame_register) && offset >= -CS_FRAME_REACH && offset <= CS_FRAME_REACH;
    struct cs_flow_value result = cs_flow_one(CS_OP_REG, base, 0);
    return cs_flow_with(result, is_frame ? CS_OP_FRAME_LOAD : CS_OP_LOAD, size, 0, offset);
  }
  if (flow->store_count)
    return cs_flow_unknown;
  return cs_flow_with(address, CS_OP_LOAD, size, 0, 0);
}

bool cs_flow_store(struct cs_flow *flow, const struct cs_flow_value *address, uint8_t size, struct cs_flow_value value)
{
  if (flow->store_count == CS_FLOW_STORES_MAX)
    return false;
  struct cs_flow_store *added = &flow->stores[flow->store_count++];
  *added = (struct cs_flow_store){.size = size, .value = value};
  if (added->value.known > size)
    added->value.known = size;
  added->has_base = cs_flow_is_sum(address, &added->base, &added->offset);
  return true;
}
