/*
 * Finds a part of a variable in a DWARF location description that may consist of pieces.
 */
#include "symbols/location/composite_location.h"

#include <dwarf.h>

#include "symbols/flow/flow.h"
#include "symbols/location/entry_value_copy.h"

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
static void join(const struct sym_location_context *context, const struct sym_location *part, uint64_t done,
                 uint8_t size, struct sym_location *whole)
{
  enum sym_lost lost = sym_location_load(context, part, size, &whole->code);
  if (lost) {
    sym_location_lose(whole, lost);
    return;
  }
  sym_code_add(&whole->code, FMT_OP_EXTEND, 0, size, 0, 0);
  if (done) {
    sym_code_constant(&whole->code, (int64_t)done * 8);
    sym_code_add(&whole->code, FMT_OP_SHL, 0, 0, 0, 0);
    sym_code_add(&whole->code, FMT_OP_OR, 0, 0, 0, 0);
  }
  whole->code.barrier = whole->code.count;
}

void sym_settle_unfilled(const struct sym_location_context *context, uint64_t size, struct sym_location *location)
{
  uint8_t base;
  int64_t offset;
  if (location->kind == SYM_LOCATION_MEMORY && !context->is_inlined && size <= 8 &&
      sym_code_is_sum(&location->code, &base, &offset) &&
      sym_entry_leaves_empty(context, base, offset + location->inner, (uint8_t)size))
    sym_location_lose(location, SYM_LOST_NO_RANGE);
}

/* What is known of memory when the code has come to a later instruction where it is described. clang tells the slot of
 * an inlined function's parameter from the very instruction on that fills it. */
static enum sym_flow_memory memory_later(const struct sym_location_context *context, uint8_t base, int64_t offset,
                                         uint8_t size, struct sym_code *stored)
{
  const enum sym_flow_memory known = sym_flow_memory_at(context->flow, base, offset, size, stored);
  struct sym_flow behind = *context->flow;
  if (known != SYM_FLOW_UNTOUCHED || !context->writes_after_call || !context->is_inlined || !sym_flow_step(&behind))
    return known;
  return sym_flow_memory_at(&behind, base, offset, size, stored);
}

/* Settles memory that DWARF describes at a later instruction, the one that context->flow has come to. The hook reads
 * memory as it is at the call, before whatever the code stores on the way to that instruction. Where nothing was stored
 * to the `size` bytes, the hook may read them; where a store that was followed filled them, the location becomes the
 * value that was stored; else it is lost. */
static void settle_stored_since(const struct sym_location_context *context, uint64_t size,
                                struct sym_location *location)
{
  uint8_t base;
  int64_t offset;
  if (location->kind != SYM_LOCATION_MEMORY)
    return;
  if (size > 8 || !sym_code_is_sum(&location->code, &base, &offset)) {
    if (context->flow->store_count)
      sym_location_lose(location, SYM_LOST_NO_RANGE);
    return;
  }
  struct sym_code stored = {0};
  switch (memory_later(context, base, offset + location->inner, (uint8_t)size, &stored)) {
  case SYM_FLOW_UNTOUCHED:
    sym_settle_unfilled(context, size, location);
    return;
  case SYM_FLOW_STORED:
    location->kind = SYM_LOCATION_VALUE;
    location->code = stored;
    location->inner = 0;
    location->known = (uint8_t)size;
    return;
  case SYM_FLOW_UNKNOWN:
    sym_location_lose(location, SYM_LOST_NO_RANGE);
    return;
  }
}

void sym_composite_location(const struct sym_location_context *context, enum sym_moment moment,
                            Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count, int64_t offset,
                            uint64_t size, struct sym_location *location)
{
  uint64_t begin = 0, done = 0; /* bytes before the piece, bytes of the object found so far */
  struct piece piece;
  sym_location_lose(location, count == 0 ? SYM_LOST_EMPTY : SYM_LOST_PIECE);
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
    struct sym_location part;
    sym_expression(context, moment, attribute, piece.ops, piece.count, at - begin + part_size, &part);
    part.inner = (int64_t)(at - begin);
    if (moment == SYM_LATER)
      settle_stored_since(context, part_size, &part);
    if (part.kind == SYM_LOCATION_LOST && part.lost == SYM_LOST_EMPTY)
      part.lost = SYM_LOST_PIECE;
    if (part_size == size) {
      *location = part;
      return;
    }
    if (size > 8 || part_size > 8) {
      sym_location_lose(location, SYM_LOST_PIECE);
      return;
    }
    if (done == 0)
      *location = (struct sym_location){.kind = SYM_LOCATION_VALUE, .known = 8};
    join(context, &part, done, (uint8_t)part_size, location);
    if (location->kind == SYM_LOCATION_LOST)
      return;
    done += part_size;
    begin = end;
  }
  if (done < size)
    sym_location_lose(location, SYM_LOST_PIECE);
}
