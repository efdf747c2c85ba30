/* Reads from the location list of a parameter whether a function uses what it was passed. */
#include "symbols/location/abi_used.h"

#include <dwarf.h>

#include "symbols/processor/x86_64.h"

enum { ENTRIES_MAX = 256 };

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
  Dwarf_Addr base, start, end;
  Dwarf_Op *ops;
  size_t count;
  ptrdiff_t offset = 0;
  if (!dwarf_attr(parameter, DW_AT_location, &attribute))
    return false;
  for (unsigned i = 0; i < ENTRIES_MAX; i++) {
    offset = dwarf_getlocations(&attribute, offset, &base, &start, &end, &ops, &count);
    if (offset <= 0)
      return false;
    if (places_any(ops, count, first, behind, in_register))
      return true;
  }
  return false;
}

bool sym_abi_is_interrupted(Dwarf_Die *parameter, Dwarf_Addr pc)
{
  Dwarf_Attribute attribute;
  Dwarf_Addr base, start, end, first_end = 0;
  Dwarf_Op *ops;
  size_t count;
  ptrdiff_t offset = 0;
  if (!dwarf_attr(parameter, DW_AT_location, &attribute))
    return false;
  for (unsigned i = 0; i < ENTRIES_MAX; i++) {
    offset = dwarf_getlocations(&attribute, offset, &base, &start, &end, &ops, &count);
    if (offset <= 0)
      return false;
    if (first_end && start > first_end)
      return true;
    if (!first_end && start <= pc && pc < end)
      first_end = end;
  }
  return false;
}
