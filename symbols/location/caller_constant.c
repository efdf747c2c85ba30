/* Makes a location of what callers tell, and compares it with the clone's own. */
#include "symbols/location/caller_constant.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/clone_calls.h"
#include "symbols/location/clone_parameters.h"
#include "symbols/location/composite_location.h"

enum { OPS_MAX = 4 };

/* A constant as an expression that a call site has: it is the value, without DW_OP_stack_value. False: it is none, or
 * not one that can be read. */
static bool read_constant(const struct sym_location_context *context, Dwarf_Attribute *value, int64_t offset,
                          uint64_t size, struct sym_location *location)
{
  Dwarf_Op *ops, all[OPS_MAX + 1];
  size_t count;
  if (dwarf_getlocation(value, &ops, &count) != 0 || count == 0 || count > OPS_MAX)
    return false;
  memcpy(all, ops, count * sizeof *ops);
  if (ops[count - 1].atom != DW_OP_stack_value && ops[0].atom != DW_OP_implicit_value)
    all[count++] = (Dwarf_Op){.atom = DW_OP_stack_value};
  sym_composite_location(context, SYM_AT_CALL, value, all, count, offset, size, location);
  return sym_location_is_constant(location) && !sym_code_has(&location->code, FMT_OP_LOAD);
}

/* Whether two constants of up to 8 bytes are the same. */
static bool is_same(const struct sym_location_context *context, const struct sym_location *one,
                    const struct sym_location *other, uint64_t size)
{
  struct sym_code left = {0}, right = {0};
  if (size == 0 || size > sizeof(int64_t) || sym_location_load(context, one, (uint8_t)size, &left) != SYM_LOST_NOT ||
      sym_location_load(context, other, (uint8_t)size, &right) != SYM_LOST_NOT || left.count != right.count)
    return false;
  const unsigned above = 64 - 8 * (unsigned)size;
  for (unsigned i = 0; i < left.count; i++)
    if (left.ops[i].code != right.ops[i].code || (uint64_t)left.ops[i].imm << above != (uint64_t)right.ops[i].imm
                                                                                           << above)
      return false;
  return true;
}

void sym_caller_constant_settle(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset,
                                uint64_t size, struct sym_location *location)
{
  if (!context->is_clone || context->is_inlined || !context->clone_calls)
    return;
  struct sym_callers_say say = sym_clone_calls_tell(context->clone_calls, context->physical, die);
  struct sym_location passed;
  const bool is_number = sym_location_is_constant(location);
  if (!say.is_told) {
    if (is_number && (!context->is_specialised || sym_clone_is_untracked(context)))
      sym_location_lose(location, SYM_LOST_SET);
    return;
  }
  const bool is_agreed = say.is_same && read_constant(context, &say.value, offset, size, &passed);
  if (is_number && is_agreed && is_same(context, location, &passed, size))
    return;
  if (is_agreed && say.is_complete && say.is_apart)
    *location = passed;
  else if (location->kind != SYM_LOCATION_LOST)
    sym_location_lose(location, is_number ? SYM_LOST_SET : SYM_LOST_OMITTED);
}
