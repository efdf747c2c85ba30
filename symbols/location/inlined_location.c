/* Holds what is told of an inlined function's parameter against the function's ranges and its type. */
#include "symbols/location/inlined_location.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/elf/list_bounds.h"
#include "symbols/flow/step.h"
#include "symbols/location/location_list.h"
#include "symbols/location/parameter_kept.h"

/* Whether the code from `low` to the hook's call calls nothing else: this is no copy of a loop behind the first. */
static bool is_first_call(const struct sym_location_context *context, Dwarf_Addr low)
{
  struct sym_step step;
  while (low < context->call && sym_step_at(context->hook, low, context->pc, &step) && !step.is_call)
    low += step.size;
  return low == context->call;
}

bool sym_inlined_is_early(const struct sym_location_context *context, Dwarf_Attribute *attribute)
{
  struct sym_location_list list = {.attribute = attribute};
  Dwarf_Die entered = *context->entered;
  Dwarf_Addr base, low, high;
  ptrdiff_t next = 0;
  while (sym_location_list_next(&list)) {
    if (list.start > context->call || context->call >= list.end)
      continue;
    while ((next = sym_ranges_next(&entered, next, &base, &low, &high)) > 0)
      if (low < list.start && list.start < high)
        return is_first_call(context, low);
    return false;
  }
  return false;
}

/* Whether a parameter cannot be assigned to. */
static bool is_const(Dwarf_Die *die)
{
  Dwarf_Die type;
  Dwarf_Attribute attribute;
  bool is_found = sym_type_of(die, &type);
  while (is_found && dwarf_tag(&type) == DW_TAG_typedef)
    is_found = sym_type_of(&type, &type);
  const int tag = is_found ? dwarf_tag(&type) : DW_TAG_invalid;
  return tag == DW_TAG_const_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type ||
         dwarf_attr_integrate(die, DW_AT_artificial, &attribute);
}

/* Whether a value is told by arithmetic rather than by the place where it is. */
static bool is_computed(const struct sym_location *location)
{
  const struct sym_code *code = &location->code;
  for (unsigned i = 0; location->kind == SYM_LOCATION_VALUE && i < code->count; i++)
    switch (code->ops[i].code) {
    case FMT_OP_REG:
    case FMT_OP_XMM:
    case FMT_OP_CONST:
    case FMT_OP_AND:
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

/* Whether a list begins to tell of the parameter behind the hook's call. */
static bool is_told_later(const struct sym_location_context *context, Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  struct sym_location_list list = {.attribute = dwarf_attr(die, DW_AT_location, &attribute)};
  while (list.attribute && sym_location_list_next(&list))
    if (list.start <= context->pc && list.end >= context->call && list.start < list.end)
      return false;
  return list.attribute && !list.is_cut;
}

static bool is_binary(uint8_t code)
{
  return (code >= FMT_OP_AND && code <= FMT_OP_XOR && code != FMT_OP_NEG && code != FMT_OP_NOT) ||
         (code >= FMT_OP_EQ && code <= FMT_OP_NE);
}

/* Whether two constants are computed with. A compiler folds what it passes: one of them stands for something of which
 * the function needs none of the bits that this gives. Taking the low bits of a constant is a conversion. */
static bool is_unfolded(const struct sym_location *location)
{
  const struct fmt_op *ops = location->code.ops;
  for (unsigned i = 0; location->kind == SYM_LOCATION_VALUE && i + 2 < location->code.count; i++) {
    const uint64_t mask = (uint64_t)ops[i + 1].imm;
    const bool is_cut = ops[i + 2].code == FMT_OP_AND && !(mask & (mask + 1));
    if (ops[i].code == FMT_OP_CONST && ops[i + 1].code == FMT_OP_CONST && is_binary(ops[i + 2].code) && !is_cut)
      return true;
  }
  return false;
}

bool sym_inlined_keeps(const struct sym_location_context *context, Dwarf_Die *die, const struct sym_location *location)
{
  return is_const(die) || sym_parameter_kept(context, die, location) == SYM_KEPT;
}

bool sym_inlined_may_be_made(const struct sym_location_context *context, Dwarf_Die *die,
                             const struct sym_location *location)
{
  if (is_unfolded(location))
    return true;
  if (is_const(die))
    return false;
  const enum sym_kept kept = sym_parameter_kept(context, die, location);
  const bool may_be_new = sym_location_is_constant(location) || is_computed(location) || is_told_later(context, die);
  return kept != SYM_KEPT && (may_be_new || kept != SYM_KEPT_UNCHANGED);
}
