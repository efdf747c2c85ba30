/* Looks for variables that are told as a quotient of a register. */
#include "symbols/location/loop_counter.h"

#include <dwarf.h>

#include "symbols/dwarf/die.h"
#include "symbols/flow/spill.h"
#include "symbols/location/location_list.h"
#include "symbols/processor/processor.h"

/* Whether a description divides what the register `atom` (DW_OP_breg) holds by a number. */
static bool is_quotient(const Dwarf_Op *ops, size_t count, uint8_t atom)
{
  if (count < 3 || ops[0].atom != atom)
    return false;
  for (size_t i = 2; i < count; i++)
    if (ops[i].atom == DW_OP_div && (ops[i - 1].atom == DW_OP_consts || ops[i - 1].atom == DW_OP_constu))
      return true;
  return false;
}

static bool is_told_as_quotient(Dwarf_Die *die, uint64_t pc, uint8_t atom)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  return (dwarf_tag(die) == DW_TAG_variable || dwarf_tag(die) == DW_TAG_formal_parameter) &&
         dwarf_attr(die, DW_AT_location, &attribute) && sym_location_list_at(&attribute, pc, &ops, &count, 1) == 1 &&
         is_quotient(ops, count, atom);
}

/* Whether one of the variables that `scope` has at `pc` is. `inner` is the scope in it that holds `pc`; false when
 * there is none. */
static bool has_quotient(Dwarf_Die *scope, uint64_t pc, uint8_t atom, Dwarf_Die *inner, bool *has_inner)
{
  Dwarf_Die child;
  bool is_found = false;
  *has_inner = false;
  for (int next = dwarf_child(scope, &child); next == 0; next = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&child, pc) == 1) {
      *inner = child;
      *has_inner = true;
    }
    is_found |= is_told_as_quotient(&child, pc, atom);
  }
  return is_found;
}

bool sym_may_be_undivided(const struct sym_location_context *context, const struct sym_location *location)
{
  const struct fmt_op *ops = location->code.ops;
  Dwarf_Die physical = *context->physical;
  if (location->kind != SYM_LOCATION_VALUE || location->code.count < 2 || ops[0].code != FMT_OP_REG ||
      ops[0].reg > DW_OP_breg31 - DW_OP_breg0 || ops[0].reg == context->hook->processor->stack_pointer ||
      ops[0].reg == sym_frame_register(&physical) || sym_code_has(&location->code, FMT_OP_DIV))
    return false;
  const uint8_t atom = (uint8_t)(DW_OP_breg0 + ops[0].reg);
  Dwarf_Die scope = physical, inner = physical;
  bool is_found = false, is_inside = true;
  while (is_inside && !is_found) {
    is_found = has_quotient(&scope, context->call, atom, &inner, &is_inside);
    scope = inner;
  }
  return is_found;
}
