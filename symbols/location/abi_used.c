/* Reads from the location list of a parameter whether a function uses what it was passed. */
#include "symbols/location/abi_used.h"

#include <dwarf.h>

#include "symbols/location/location_list.h"
#include "symbols/processor/x86_64.h"

static bool is_place(uint8_t atom, bool in_register)
{
  if (atom == DW_OP_fbreg || atom == DW_OP_breg0 + SYM_RSP)
    return !in_register;
  return atom >= DW_OP_reg0 && atom <= DW_OP_breg31;
}

/* Whether the description says where any of the bytes from `first` to before `behind` of the value are, and that not by
 * a constant; `in_register`: nor by an address in the frame. One without pieces is of all bytes. */
static bool places_any(const Dwarf_Op *ops, size_t count, uint64_t first, uint64_t behind, bool in_register)
{
  uint64_t begin = 0;
  bool is_placed = false;
  for (size_t i = 0; i < count; i++) {
    const uint8_t atom = ops[i].atom;
    is_placed |= is_place(atom, in_register);
    if (atom != DW_OP_piece && atom != DW_OP_bit_piece)
      continue;
    const uint64_t size = atom == DW_OP_piece ? ops[i].number : (ops[i].number + 7) / 8;
    const uint64_t next = begin + (size < UINT32_MAX ? size : UINT32_MAX);
    if (is_placed && begin < behind && next > first)
      return true;
    begin = next;
    is_placed = false;
  }
  return is_placed;
}

bool sym_abi_is_used(Dwarf_Die *parameter, uint64_t first, uint64_t behind, bool in_register)
{
  Dwarf_Attribute attribute;
  struct sym_location_list list = {.attribute = dwarf_attr(parameter, DW_AT_location, &attribute)};
  bool is_used = false;
  while (!is_used && list.attribute && sym_location_list_next(&list))
    is_used = places_any(list.ops, list.count, first, behind, in_register);
  return is_used;
}

bool sym_abi_is_interrupted(Dwarf_Die *parameter, Dwarf_Addr pc)
{
  Dwarf_Attribute attribute;
  struct sym_location_list list = {.attribute = dwarf_attr(parameter, DW_AT_location, &attribute)};
  Dwarf_Addr first_end = 0;
  bool is_interrupted = false;
  while (!is_interrupted && list.attribute && sym_location_list_next(&list)) {
    is_interrupted = first_end && list.start > first_end;
    if (!first_end && list.start <= pc && pc < list.end)
      first_end = list.end;
  }
  return is_interrupted;
}
