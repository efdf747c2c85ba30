/*
 * What can be done with a location once it is known: lose it, or push the value that lies there.
 */
#include "symbols/location/location.h"

#include <string.h>

#include "symbols/elf/hook.h"

void sym_location_lose(struct sym_location *location, enum sym_lost lost)
{
  location->kind = SYM_LOCATION_LOST;
  location->lost = (uint8_t)lost;
}

struct sym_frame_bases sym_location_bases(const struct sym_location_context *context)
{
  return (struct sym_frame_bases){.stack_pointer = context->hook->processor->stack_pointer,
                                  .cfa =
                                      context->frame->cfa_kind == FMT_CFA_REGISTER ? context->frame->cfa_register : -1};
}

enum sym_lost sym_location_load(const struct sym_location_context *context, const struct sym_location *location,
                                uint8_t size, struct sym_code *code)
{
  uint64_t value = 0;
  switch ((enum sym_location_kind)location->kind) {
  case SYM_LOCATION_REGISTER:
  case SYM_LOCATION_VALUE:
  case SYM_LOCATION_VECTOR:
    if (location->inner < 0 || location->inner + size > location->known)
      return SYM_LOST_REGISTER;
    if (location->kind == SYM_LOCATION_VECTOR)
      sym_code_add(code, FMT_OP_XMM, (uint8_t)(location->reg - context->hook->processor->first_vector), 0, 0, 0);
    else
      sym_code_append(code, &location->code);
    if (location->inner) {
      sym_code_constant(code, location->inner * 8);
      sym_code_add(code, FMT_OP_SHR, 0, 0, 0, 0);
    }
    return SYM_LOST_NOT;
  case SYM_LOCATION_MEMORY:
    sym_code_append(code, &location->code);
    sym_code_load(code, size, location->inner, sym_location_bases(context));
    /* The program itself keeps the parameter there now. */
    if (code->count > 0 && code->ops[code->count - 1].code == FMT_OP_LOAD)
      code->ops[code->count - 1].flags |= FMT_OPF_STORAGE;
    return SYM_LOST_NOT;
  case SYM_LOCATION_BYTES:
    if (location->inner < 0 || (uint64_t)location->inner + size > location->byte_count)
      return SYM_LOST_PIECE;
    memcpy(&value, (location->bytes ? location->bytes : location->small) + location->inner, size);
    sym_code_constant(code, (int64_t)value);
    return SYM_LOST_NOT;
  case SYM_LOCATION_POINTER:
    return size == 8 && location->inner == 0 ? SYM_LOST_IMPLICIT_POINTER : SYM_LOST_PIECE;
  case SYM_LOCATION_LOST:
    break;
  }
  return (enum sym_lost)location->lost;
}

bool sym_location_is_frame_address(const struct sym_location_context *context, const struct sym_code *code)
{
  bool has_base = sym_code_has(code, FMT_OP_CFA);
  const struct sym_frame_bases bases = sym_location_bases(context);
  for (unsigned i = 0; i < code->count; i++)
    has_base |=
        code->ops[i].code == FMT_OP_REG && (code->ops[i].reg == bases.stack_pointer || code->ops[i].reg == bases.cfa);
  return has_base && !sym_code_has(code, FMT_OP_LOAD) && !sym_code_has(code, FMT_OP_FRAME_LOAD);
}

bool sym_location_is_constant(const struct sym_location *location)
{
  if (location->kind == SYM_LOCATION_BYTES)
    return true;
  for (unsigned i = 0; location->kind == SYM_LOCATION_VALUE && i < location->code.count; i++)
    switch (location->code.ops[i].code) {
    case FMT_OP_REG:
    case FMT_OP_XMM:
    case FMT_OP_CFA:
    case FMT_OP_ENTRY:
    case FMT_OP_FRAME_LOAD:
      return false;
    default:
      break;
    }
  return location->kind == SYM_LOCATION_VALUE;
}

/* Whether an operation takes the low bits of a value as a conversion does: whole bytes, or one bit for a truth. */
static bool is_conversion(const struct fmt_op *mask)
{
  return mask->code == FMT_OP_CONST &&
         (mask->imm == 1 || mask->imm == UINT8_MAX || mask->imm == UINT16_MAX || mask->imm == UINT32_MAX);
}

bool sym_location_is_computed(const struct sym_location *location)
{
  const struct sym_code *code = &location->code;
  for (unsigned i = 0; location->kind == SYM_LOCATION_VALUE && i < code->count; i++)
    switch (code->ops[i].code) {
    case FMT_OP_AND:
      if (i == 0 || !is_conversion(&code->ops[i - 1]))
        return true;
      break;
    case FMT_OP_BITS:
      if (code->ops[i].size != 1 || code->ops[i].flags & FMT_OPF_SIGNED)
        return true;
      break;
    case FMT_OP_REG:
    case FMT_OP_XMM:
    case FMT_OP_CONST:
    case FMT_OP_EXTEND:
    case FMT_OP_FRAME_LOAD:
    case FMT_OP_LOAD:
    case FMT_OP_CFA:
    case FMT_OP_ENTRY:
      break;
    default:
      return true;
    }
  return false;
}
