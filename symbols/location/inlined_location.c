/* Holds what is told of an inlined function's parameter against the function's ranges and its type. */
#include "symbols/location/inlined_location.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/elf/list_bounds.h"
#include "symbols/flow/step.h"
#include "symbols/location/location_list.h"
#include "symbols/location/loop_counter.h"
#include "symbols/location/narrow_location.h"
#include "symbols/location/parameter_kept.h"
#include "symbols/processor/processor.h"

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
  if (is_unfolded(location) || sym_may_be_narrowed(context, die, location) ||
      sym_may_be_inverted(context, die, location) || sym_may_be_undivided(context, location))
    return true;
  if (is_const(die))
    return false;
  const enum sym_kept kept = sym_parameter_kept(context, die, location);
  const bool may_be_new =
      sym_location_is_constant(location) || sym_location_is_computed(location) || is_told_later(context, die);
  return kept != SYM_KEPT && (may_be_new || kept != SYM_KEPT_UNCHANGED);
}

/* Whether nothing but numbers is computed with. */
static bool is_number(const struct sym_location *location)
{
  const struct sym_code *code = &location->code;
  if (location->kind != SYM_LOCATION_VALUE)
    return location->kind != SYM_LOCATION_LOST && sym_location_is_constant(location);
  for (unsigned i = 0; i < code->count; i++)
    switch (code->ops[i].code) {
    case FMT_OP_REG:
    case FMT_OP_XMM:
    case FMT_OP_CFA:
    case FMT_OP_ENTRY:
    case FMT_OP_ADDRESS:
    case FMT_OP_FRAME_LOAD:
    case FMT_OP_LOAD:
      return false;
    default:
      break;
    }
  return true;
}

/* Where a value is told to be. */
struct place {
  uint8_t base;   /* DW_OP_breg of the register, or DW_OP_fbreg */
  bool is_memory; /* it lies at that + the offset */
  uint64_t offset;
};

/* Whether an operation changes nothing but what is above the value: it cuts off or extends. */
static bool is_extension(uint8_t atom)
{
  return atom == DW_OP_stack_value || atom == DW_OP_convert || atom == DW_OP_and || atom == DW_OP_shl ||
         atom == DW_OP_shra || atom == DW_OP_deref_size || (atom >= DW_OP_const1u && atom <= DW_OP_consts) ||
         (atom >= DW_OP_lit0 && atom <= DW_OP_lit31);
}

/* The register, or the place in memory, in which a description that holds at `pc` tells a value to be. False: in
 * neither, or not as it is. clang 14 leaves out the load of what lies in the frame. */
static bool place_at(const struct sym_location_context *context, Dwarf_Die *die, uint64_t pc, struct place *place)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  if (!dwarf_attr(die, DW_AT_location, &attribute) || sym_location_list_at(&attribute, pc, &ops, &count, 1) != 1 ||
      count == 0)
    return false;
  for (size_t i = 1; i < count; i++)
    if (!is_extension(ops[i].atom))
      return false;
  const uint8_t atom = ops[0].atom;
  const bool is_register = atom >= DW_OP_reg0 && atom <= DW_OP_reg31;
  const bool is_frame = atom == DW_OP_fbreg || atom == DW_OP_breg0 + context->hook->processor->stack_pointer;
  *place = (struct place){.base = is_register ? (uint8_t)(atom - DW_OP_reg0 + DW_OP_breg0) : atom,
                          .offset = is_register ? 0 : ops[0].number,
                          .is_memory = is_frame || (!is_register && ops[count - 1].atom != DW_OP_stack_value) ||
                                       (count > 1 && ops[1].atom == DW_OP_deref_size)};
  return (place->base >= DW_OP_breg0 && place->base <= DW_OP_breg31) || atom == DW_OP_fbreg;
}

/* Whether another parameter of the instance is told to be in the same place, at the hook's call or where that returns.
 */
static bool is_told_with_another(const struct sym_location_context *context, Dwarf_Die *die)
{
  Dwarf_Die entered = *context->entered, other;
  for (int next = dwarf_child(&entered, &other); next == 0; next = dwarf_siblingof(&other, &other))
    for (uint64_t pc = context->call; dwarf_tag(&other) == DW_TAG_formal_parameter && pc <= context->pc;
         pc += context->pc - context->call) {
      struct place one, two;
      if (dwarf_dieoffset(&other) != dwarf_dieoffset(die) && place_at(context, die, pc, &one) &&
          place_at(context, &other, pc, &two) && one.base == two.base && one.offset == two.offset &&
          one.is_memory == two.is_memory)
        return true;
    }
  return false;
}

bool sym_inlined_may_be_stale(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset, uint64_t size,
                              const struct sym_location *location)
{
  Dwarf_Die entered = *context->entered;
  const bool is_shared = dwarf_hasattr_integrate(&entered, DW_AT_external) && sym_die_is_cxx(&entered);
  const bool may_be =
      is_number(location) ? !context->writes_after_call && !is_shared : is_told_with_another(context, die);
  return location->kind != SYM_LOCATION_LOST && may_be && sym_parameter_is_unread(context, die, offset, size);
}
