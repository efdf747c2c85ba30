#include "location.h"

#include <dwarf.h>
#include <string.h>

#include "describe.h"
#include "late.h"
#include "spill.h"

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
    if (location->inner < 0 || location->inner + size > location->known)
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
    /* The program itself keeps the parameter there now. */
    if (code->count > 0 && code->ops[code->count - 1].code == CS_OP_LOAD)
      code->ops[code->count - 1].flags |= CS_OPF_STORAGE;
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
static void at_pc(const struct cs_location_context *context, uint64_t pc, enum cs_moment moment,
                  Dwarf_Attribute *attribute, int64_t offset, uint64_t size, struct cs_location *location)
{
  Dwarf_Op *ops[DESCRIPTIONS_MAX];
  size_t counts[DESCRIPTIONS_MAX];
  int found = dwarf_getlocation_addr(attribute, pc, ops, counts, DESCRIPTIONS_MAX);
  cs_location_lose(location, found < 0 ? CS_LOST_CORRUPT : CS_LOST_NO_RANGE);
  for (int i = 0; i < found; i++) {
    cs_describe(context, moment, attribute, ops[i], counts[i], offset, size, location);
    if (location->kind != CS_LOCATION_LOST)
      return;
  }
}

/* One description for the whole scope, in place of a list. */
static bool is_single(Dwarf_Attribute *attribute)
{
  switch (dwarf_whatform(attribute)) {
  case DW_FORM_exprloc:
  case DW_FORM_block:
  case DW_FORM_block1:
  case DW_FORM_block2:
  case DW_FORM_block4:
    return true;
  default:
    return false;
  }
}

/* Whether a constant was added to a constant. A compiler folds what it passes: this is a constant that was passed and
 * that the function has begun to count. */
static bool is_counted_constant(const struct cs_location *location)
{
  const struct cs_code *code = &location->code;
  if (location->kind != CS_LOCATION_VALUE || code->count < 3)
    return false;
  for (unsigned i = 0; i < code->count; i++)
    if (code->ops[i].code != CS_OP_CONST && code->ops[i].code != CS_OP_MINUS && code->ops[i].code != CS_OP_PLUS)
      return false;
  return true;
}

/* What DWARF says for a time after the call, where it says nothing of the call itself: `location` is lost and stays so
 * when that does not tell what was passed. */
static void after_call(const struct cs_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                       uint64_t size, struct cs_location *location)
{
  struct cs_location other;
  /* clang binds a parameter right after the call of the hook; gcc binds it before, and what it binds there is new. */
  if (context->writes_late) {
    at_pc(context, context->pc, CS_AFTER_CALL, attribute, offset, size, location);
    if (is_counted_constant(location))
      cs_location_lose(location, CS_LOST_NO_RANGE);
    else if (location->kind != CS_LOCATION_LOST)
      return;
  }
  cs_late_location(context, attribute, offset, size, &other);
  if (other.kind != CS_LOCATION_LOST || location->lost == CS_LOST_NO_RANGE)
    *location = other;
}

/* clang describes a spill of 4 bytes as the whole of a variable of 8: the rest of those is something else. */
static void settle_spill(const struct cs_location_context *context, uint64_t size, struct cs_location *location)
{
  uint8_t base;
  int64_t offset;
  if (!context->writes_late || location->kind != CS_LOCATION_MEMORY || location->inner || size <= 4 ||
      !cs_code_is_sum(&location->code, &base, &offset))
    return;
  uint8_t spilled = cs_spill_size(context->spills, context->physical, context->frame, base, offset);
  if (spilled && spilled < size)
    cs_location_lose(location, CS_LOST_PIECE);
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
  at_pc(context, context->call, CS_AT_CALL, &attribute, offset, size, location);
  if (location->kind == CS_LOCATION_LOST)
    at_pc(context, context->pc - 1, CS_AT_CALL, &attribute, offset, size, location);
  if (!is_single(&attribute)) {
    /* A value on entry or in a slot that cannot be told is lost: what another description gives later may be a new
     * value. */
    if (location->kind == CS_LOCATION_LOST && location->lost != CS_LOST_ENTRY_VALUE &&
        location->lost != CS_LOST_FRAME_NUMBER)
      after_call(context, &attribute, offset, size, location);
    settle_spill(context, size, location);
  } else if (context->writes_late && !context->is_spilled) {
    cs_late_home(context, size, location);
  }
}

bool cs_location_is_frame_address(const struct cs_location_context *context, const struct cs_code *code)
{
  bool has_base = cs_code_has(code, CS_OP_CFA);
  for (unsigned i = 0; i < code->count; i++)
    has_base |= code->ops[i].code == CS_OP_REG &&
                (code->ops[i].reg == CS_RSP || code->ops[i].reg == cs_location_cfa_register(context));
  return has_base && !cs_code_has(code, CS_OP_LOAD) && !cs_code_has(code, CS_OP_FRAME_LOAD);
}
