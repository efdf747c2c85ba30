/* Holds what is told of an inlined function's parameter against the function's ranges and its out-of-line copy. */
#include "symbols/location/inlined_location.h"

#include <dwarf.h>

#include "symbols/dwarf/die.h"
#include "symbols/flow/step.h"
#include "symbols/location/location_list.h"

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
    while ((next = dwarf_ranges(&entered, next, &base, &low, &high)) > 0)
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
  bool is_found = sym_type_of(die, &type);
  while (is_found && dwarf_tag(&type) == DW_TAG_typedef)
    is_found = sym_type_of(&type, &type);
  return is_found && dwarf_tag(&type) == DW_TAG_const_type;
}

/* Whether a description is of what a register holds, or a part of that. */
static bool is_of_register(const Dwarf_Op *ops, size_t count)
{
  bool is_register = false;
  for (size_t i = 0; i < count; i++)
    if (ops[i].atom >= DW_OP_reg0 && ops[i].atom <= DW_OP_reg31)
      is_register = true;
    else if (ops[i].atom >= DW_OP_breg0 && ops[i].atom <= DW_OP_breg31 && ops[i].number == 0)
      is_register = true;
    else if (ops[i].atom != DW_OP_constu && ops[i].atom != DW_OP_and && ops[i].atom != DW_OP_convert &&
             ops[i].atom != DW_OP_stack_value && ops[i].atom != DW_OP_piece)
      return false;
  return is_register;
}

/* Where straight code from a function's first instruction returns to from its first call, the hook's; 0: there is none.
 */
static Dwarf_Addr first_return(const struct sym_location_context *context, Dwarf_Addr entry)
{
  struct sym_step step;
  for (Dwarf_Addr at = entry; sym_step_at(context->hook, at, UINT64_MAX, &step) && !step.target; at += step.size)
    if (step.is_call)
      return at + step.size;
    else if (!step.falls_through)
      return 0;
  return 0;
}

/* Whether a list tells that the parameter is in a register when the function is entered, or when the hook returns. */
static bool begins_in_register(const struct sym_location_context *context, Dwarf_Die *parameter)
{
  Dwarf_Attribute attribute;
  const Dwarf_Addr entry = context->whole_entry, returned = first_return(context, entry);
  struct sym_location_list list = {.attribute = dwarf_attr(parameter, DW_AT_location, &attribute)};
  while (list.attribute && sym_location_list_next(&list))
    if ((list.start <= entry && entry < list.end) || (list.start == returned && returned < list.end))
      return is_of_register(list.ops, list.count);
  return false;
}

bool sym_inlined_may_set(const struct sym_location_context *context, Dwarf_Die *die)
{
  Dwarf_Die whole, child, root, other;
  if (is_const(die))
    return false;
  if (!context->whole)
    return true;
  whole = *context->whole;
  sym_die_root(die, &root);
  for (int next = dwarf_child(&whole, &child); next == 0; next = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      continue;
    sym_die_root(&child, &other);
    if (other.addr == root.addr)
      return !begins_in_register(context, &child);
  }
  return true;
}
