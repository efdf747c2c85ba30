/* Reads from the location lists of a clone's parameters which of them it is not passed. */
#include "symbols/location/clone_parameters.h"

#include <dwarf.h>

#include "symbols/dwarf/die.h"
#include "symbols/location/composite_location.h"
#include "symbols/location/location_list.h"

/* Whether the first thing that is told of the time from the entry up to the site is a value on entry. The function may
 * have a part before its entry. */
static bool begins_as_entry_value(const struct sym_location_context *context, Dwarf_Attribute *attribute,
                                  Dwarf_Addr entry)
{
  struct sym_location_list list = {.attribute = attribute};
  Dwarf_Addr first = UINT64_MAX;
  bool is_entry_value = false;
  while (sym_location_list_next(&list)) {
    if ((list.end <= entry && list.start != entry) || list.start >= first || list.start > context->call)
      continue;
    first = list.start;
    is_entry_value =
        list.count > 0 && (list.ops[0].atom == DW_OP_entry_value || list.ops[0].atom == DW_OP_GNU_entry_value);
  }
  return is_entry_value;
}

/* The bit that stands for the register a description names: one below 32, or of the upper half a vector register, which
 * aarch64 numbers from 64 and x86-64 from 17 to 32. 0: it names none. */
static uint64_t register_bit(const Dwarf_Op *op)
{
  if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
    return UINT64_C(1) << (op->atom - DW_OP_reg0);
  return op->atom == DW_OP_regx ? UINT64_C(1) << (op->number < 32 ? op->number : 32 + op->number % 32) : 0;
}

/* The registers, as bits, that a list tells at `pc`. */
static uint64_t registers_at(Dwarf_Attribute *attribute, Dwarf_Addr pc)
{
  struct sym_location_list list = {.attribute = attribute};
  uint64_t registers = 0;
  while (sym_location_list_next(&list))
    for (size_t i = 0; list.start <= pc && pc < list.end && i < list.count; i++)
      registers |= register_bit(&list.ops[i]);
  return registers;
}

/* Where a list first tells something, between the clone's first instruction and the site. UINT64_MAX: nowhere. */
static Dwarf_Addr first_told(const struct sym_location_context *context, Dwarf_Attribute *attribute, Dwarf_Addr entry)
{
  struct sym_location_list list = {.attribute = attribute};
  Dwarf_Addr first = UINT64_MAX;
  while (sym_location_list_next(&list)) {
    const Dwarf_Addr start = list.start < entry ? entry : list.start;
    if (start < list.end && start <= context->call && start < first)
      first = start;
  }
  return first;
}

/* Whether a parameter that is listed before it is told to be there as well, where it is first told itself: those that
 * are passed come first. */
static bool is_shared(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute,
                      Dwarf_Addr entry)
{
  Dwarf_Die function = *context->physical, child;
  const Dwarf_Addr at = first_told(context, attribute, entry);
  const uint64_t its = registers_at(attribute, at);
  for (int next = its ? dwarf_child(&function, &child) : 1; next == 0 && child.addr != die->addr;
       next = dwarf_siblingof(&child, &child)) {
    Dwarf_Attribute other;
    if (dwarf_tag(&child) == DW_TAG_formal_parameter && dwarf_attr(&child, DW_AT_location, &other) &&
        registers_at(&other, at) & its)
      return true;
  }
  return false;
}

/* Whether the list tells where the parameter is before any statement of the clone: at view 0 of its first instruction.
 * What begins at a later view of that is what a statement without instructions set the parameter to. */
static bool is_told_first(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute)
{
  Dwarf_Die physical = *context->physical;
  Dwarf_Attribute of_views;
  Dwarf_Addr base, low, high; /* of its first range, where it begins */
  struct sym_bytes views;
  struct sym_location_list list = {.attribute = attribute};
  if (!dwarf_attr(die, DW_AT_GNU_locviews, &of_views) || !sym_list_views(&of_views, &views) ||
      sym_ranges_next(&physical, 0, &base, &low, &high) <= 0)
    return false;
  while (sym_location_list_next(&list)) {
    const uint64_t view = sym_bytes_number(&views);
    (void)sym_bytes_number(&views);
    if (!views.failed && list.start == low && view == 0)
      return true;
  }
  return false;
}

/* Whether what is first told of one of the clone's parameters, between its first instruction and the site, is the value
 * on entry of this register. */
static bool begins_in(const struct sym_location_context *context, Dwarf_Attribute *attribute, uint8_t reg)
{
  struct sym_location_list list = {.attribute = attribute};
  const Dwarf_Addr first = first_told(context, attribute, context->entry);
  while (sym_location_list_next(&list)) {
    struct sym_location location;
    if (list.start > first || first >= list.end)
      continue;
    sym_composite_location(context, SYM_AT_CALL, attribute, list.ops, list.count, 0, 1, &location);
    return location.kind == SYM_LOCATION_VALUE && location.code.count > 0 &&
           location.code.ops[0].code == FMT_OP_ENTRY && location.code.ops[0].reg == reg;
  }
  return false;
}

bool sym_clone_may_lack_entry(const struct sym_location_context *context, const struct sym_location *location)
{
  Dwarf_Die function = *context->physical, child;
  if (!context->is_clone || !context->is_inlined || !context->entry || location->kind != SYM_LOCATION_VALUE)
    return false;
  for (unsigned i = 0; i < location->code.count; i++)
    for (int next = location->code.ops[i].code == FMT_OP_ENTRY ? dwarf_child(&function, &child) : 1; next == 0;
         next = dwarf_siblingof(&child, &child)) {
      Dwarf_Attribute attribute;
      if (dwarf_tag(&child) == DW_TAG_formal_parameter && dwarf_attr(&child, DW_AT_location, &attribute) &&
          begins_in(context, &attribute, location->code.ops[i].reg))
        return true;
    }
  return false;
}

bool sym_clone_is_untracked(const struct sym_location_context *context)
{
  Dwarf_Die physical = *context->physical;
  return context->is_clone && !context->is_inlined && !sym_die_tracks_arguments(&physical);
}

bool sym_clone_sets(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute)
{
  return sym_clone_is_untracked(context) && !is_told_first(context, die, attribute);
}

bool sym_clone_lacks(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute)
{
  const Dwarf_Addr entry = context->sled_end ? context->call : context->entry;
  if (!context->is_clone || context->is_inlined || !entry)
    return false;
  return begins_as_entry_value(context, attribute, entry) ||
         (!context->sled_end && is_shared(context, die, attribute, entry));
}
