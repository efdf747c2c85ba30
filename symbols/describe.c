#include "describe.h"

#include <dwarf.h>

#include "flow.h"

/* One piece of a composite description. */
struct piece {
  const Dwarf_Op *ops;
  size_t count;
  uint64_t size; /* bytes, UINT64_MAX when the description has no pieces */
};

/* Takes the next piece off `ops`. Bit pieces that are not whole bytes end the description: false. */
static bool next_piece(const Dwarf_Op **ops, size_t *count, struct piece *piece)
{
  for (size_t i = 0; i < *count; i++) {
    const Dwarf_Op *op = &(*ops)[i];
    if (op->atom != DW_OP_piece && op->atom != DW_OP_bit_piece)
      continue;
    if (op->atom == DW_OP_bit_piece && (op->number % 8 || op->number2))
      return false;
    *piece = (struct piece){*ops, i, op->atom == DW_OP_piece ? op->number : op->number / 8};
    *ops += i + 1;
    *count -= i + 1;
    return true;
  }
  if (*count == 0)
    return false;
  *piece = (struct piece){*ops, *count, UINT64_MAX};
  *ops += *count;
  *count = 0;
  return true;
}

/* Appends one piece's part of a value to `whole`, whose lower `done` bytes are there already. */
static void join(const struct cs_location_context *context, const struct cs_location *part, uint64_t done, uint8_t size,
                 struct cs_location *whole)
{
  enum cs_lost lost = cs_location_load(context, part, size, &whole->code);
  if (lost) {
    cs_location_lose(whole, lost);
    return;
  }
  cs_code_add(&whole->code, CS_OP_EXTEND, 0, size, 0, 0);
  if (done) {
    cs_code_constant(&whole->code, (int64_t)done * 8);
    cs_code_add(&whole->code, CS_OP_SHL, 0, 0, 0, 0);
    cs_code_add(&whole->code, CS_OP_OR, 0, 0, 0, 0);
  }
  whole->code.barrier = whole->code.count;
}

/* Memory as it is later, told by what it is at the hook. */
static void settle_later(const struct cs_location_context *context, uint64_t size, struct cs_location *location)
{
  uint8_t base;
  int64_t offset;
  if (location->kind != CS_LOCATION_MEMORY)
    return;
  if (size > 8 || !cs_code_is_sum(&location->code, &base, &offset)) {
    if (context->flow->store_count)
      cs_location_lose(location, CS_LOST_NO_RANGE);
    return;
  }
  struct cs_code stored = {0};
  switch (cs_flow_memory_at(context->flow, base, offset + location->inner, (uint8_t)size, &stored)) {
  case CS_FLOW_UNTOUCHED:
    return;
  case CS_FLOW_STORED:
    location->kind = CS_LOCATION_VALUE;
    location->code = stored;
    location->inner = 0;
    location->known = (uint8_t)size;
    return;
  case CS_FLOW_UNKNOWN:
    cs_location_lose(location, CS_LOST_NO_RANGE);
    return;
  }
}

void cs_describe(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Attribute *attribute,
                 const Dwarf_Op *ops, size_t count, int64_t offset, uint64_t size, struct cs_location *location)
{
  uint64_t begin = 0, done = 0; /* bytes before the piece, bytes of the object found so far */
  struct piece piece;
  cs_location_lose(location, count == 0 ? CS_LOST_EMPTY : CS_LOST_PIECE);
  if (offset < 0)
    return;
  while (done < size && next_piece(&ops, &count, &piece)) {
    uint64_t at = (uint64_t)offset + done;
    uint64_t end = piece.size == UINT64_MAX ? UINT64_MAX : begin + piece.size;
    if (end <= at) {
      begin = end;
      continue;
    }
    uint64_t part_size = end - at < size - done ? end - at : size - done;
    struct cs_location part;
    cs_expression(context, moment, attribute, piece.ops, piece.count, at - begin + part_size, &part);
    part.inner = (int64_t)(at - begin);
    if (moment == CS_LATER)
      settle_later(context, part_size, &part);
    if (part.kind == CS_LOCATION_LOST && part.lost == CS_LOST_EMPTY)
      part.lost = CS_LOST_PIECE;
    if (part_size == size) {
      *location = part;
      return;
    }
    if (size > 8 || part_size > 8) {
      cs_location_lose(location, CS_LOST_PIECE);
      return;
    }
    if (done == 0)
      *location = (struct cs_location){.kind = CS_LOCATION_VALUE, .known = 8};
    join(context, &part, done, (uint8_t)part_size, location);
    if (location->kind == CS_LOCATION_LOST)
      return;
    done += part_size;
    begin = end;
  }
  if (done < size)
    cs_location_lose(location, CS_LOST_PIECE);
}
