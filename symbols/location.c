#include "location.h"

#include <dwarf.h>
#include <string.h>

#include "expression.h"

enum { DESCRIPTIONS_MAX = 4 /* entries of a location list that hold at one PC */ };

int cs_location_cfa_register(const struct cs_location_context *context)
{
  return context->frame->cfa_kind == CS_CFA_REGISTER ? context->frame->cfa_register : -1;
}

enum cs_lost cs_location_load(const struct cs_location_context *context, const struct cs_location *location,
                              uint8_t size, struct cs_code *code)
{
  uint64_t value = 0;
  switch ((enum cs_location_kind)location->kind) {
  case CS_LOCATION_REGISTER:
  case CS_LOCATION_VALUE:
  case CS_LOCATION_VECTOR:
    if (location->inner < 0 || location->inner + size > 8)
      return CS_LOST_REGISTER;
    if (location->kind == CS_LOCATION_VECTOR)
      cs_code_add(code, CS_OP_XMM, (uint8_t)(location->reg - CS_XMM0), 0, 0, 0);
    else
      cs_code_append(code, &location->code);
    if (location->inner) {
      cs_code_constant(code, location->inner * 8);
      cs_code_add(code, CS_OP_SHR, 0, 0, 0, 0);
    }
    return CS_LOST_NOT;
  case CS_LOCATION_MEMORY:
    cs_code_append(code, &location->code);
    cs_code_load(code, size, location->inner, cs_location_cfa_register(context));
    return CS_LOST_NOT;
  case CS_LOCATION_BYTES:
    if (location->inner < 0 || (uint64_t)location->inner + size > location->byte_count)
      return CS_LOST_PIECE;
    memcpy(&value, (location->bytes ? location->bytes : location->small) + location->inner, size);
    cs_code_constant(code, (int64_t)value);
    return CS_LOST_NOT;
  case CS_LOCATION_POINTER:
    return size == 8 && location->inner == 0 ? CS_LOST_IMPLICIT_POINTER : CS_LOST_PIECE;
  case CS_LOCATION_LOST:
    break;
  }
  return (enum cs_lost)location->lost;
}

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

/* The object at `offset` in one description. */
static void describe(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Attribute *attribute,
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
    cs_expression(context, moment, attribute, piece.ops, piece.count, &part);
    part.inner = (int64_t)(at - begin);
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
      *location = (struct cs_location){.kind = CS_LOCATION_VALUE};
    join(context, &part, done, (uint8_t)part_size, location);
    if (location->kind == CS_LOCATION_LOST)
      return;
    done += part_size;
    begin = end;
  }
  if (done < size)
    cs_location_lose(location, CS_LOST_PIECE);
}

/* DW_AT_const_value. Of the fixed-size forms the compilers mean the unsigned value: they write a negative one as sdata.
 */
static bool constant(Dwarf_Die *die, int64_t offset, uint64_t size, struct cs_location *location)
{
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  Dwarf_Block block;
  if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
    return false;
  *location = (struct cs_location){.kind = CS_LOCATION_BYTES, .inner = offset};
  unsigned form = dwarf_whatform(&attribute);
  bool is_signed = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
  if (is_signed ? dwarf_formsdata(&attribute, (Dwarf_Sword *)&value) == 0 : dwarf_formudata(&attribute, &value) == 0) {
    memcpy(location->small, &value, sizeof value);
    location->bytes = NULL;
    location->byte_count = sizeof value;
  } else if (dwarf_formblock(&attribute, &block) == 0) {
    location->bytes = block.data;
    location->byte_count = block.length;
  } else if (form == DW_FORM_string || form == DW_FORM_strp || form == DW_FORM_line_strp || form == DW_FORM_strx) {
    const char *string = dwarf_formstring(&attribute);
    location->bytes = (const uint8_t *)string;
    location->byte_count = string ? strlen(string) + 1 : 0;
  } else {
    return false;
  }
  if (offset < 0 || (uint64_t)offset + size > location->byte_count)
    cs_location_lose(location, CS_LOST_PIECE);
  return true;
}

/* The variable's description at `pc`: the first of those that hold there which can be followed. */
static void at_pc(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Attribute *attribute,
                  int64_t offset, uint64_t size, struct cs_location *location)
{
  Dwarf_Op *ops[DESCRIPTIONS_MAX];
  size_t counts[DESCRIPTIONS_MAX];
  uint64_t pc = moment == CS_AT_CALL ? context->call : context->pc;
  int found = dwarf_getlocation_addr(attribute, pc, ops, counts, DESCRIPTIONS_MAX);
  cs_location_lose(location, found < 0 ? CS_LOST_CORRUPT : CS_LOST_NO_RANGE);
  for (int i = 0; i < found; i++) {
    describe(context, moment, attribute, ops[i], counts[i], offset, size, location);
    if (location->kind != CS_LOCATION_LOST)
      return;
  }
}

void cs_locate(const struct cs_location_context *context, Dwarf_Die *die, Dwarf_Die *abstract, int64_t offset,
               uint64_t size, struct cs_location *location)
{
  Dwarf_Attribute attribute;
  if (!dwarf_attr(die, DW_AT_location, &attribute)) {
    if (!constant(die, offset, size, location) && (!abstract || !constant(abstract, offset, size, location)))
      cs_location_lose(location, CS_LOST_NO_LOCATION);
    return;
  }
  at_pc(context, CS_AT_CALL, &attribute, offset, size, location);
  if (location->kind != CS_LOCATION_LOST && !cs_code_has(&location->code, CS_OP_ENTRY))
    return;
  struct cs_location after;
  at_pc(context, CS_AFTER_CALL, &attribute, offset, size, &after);
  if (after.kind != CS_LOCATION_LOST || (location->kind == CS_LOCATION_LOST && location->lost == CS_LOST_NO_RANGE))
    if (location->kind == CS_LOCATION_LOST || !cs_code_has(&after.code, CS_OP_ENTRY))
      *location = after;
}
