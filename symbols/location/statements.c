/* Reads the location list of a parameter, entry by entry. */
#include "symbols/location/statements.h"

#include <dwarf.h>

#include "symbols/flow/spill.h"
#include "symbols/location/expression_machine.h"
#include "symbols/location/location_list.h"

/* Whether what follows the first operation changes no bit that counts: it cuts off, extends, and says that it is a
 * value. */
static bool is_extension(const Dwarf_Op *ops, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (ops[i].atom != DW_OP_constu && ops[i].atom != DW_OP_and && ops[i].atom != DW_OP_convert &&
        ops[i].atom != DW_OP_stack_value)
      return false;
  return true;
}

/* Whether the second operation loads the value from where the first says. */
static bool is_load(const struct sym_statements *list, const Dwarf_Op *ops, size_t count)
{
  if (count < 3 || !(sym_register_bit(ops[0].atom - DW_OP_breg0) & list->frame))
    return false;
  return ops[1].atom == DW_OP_deref || (ops[1].atom == DW_OP_deref_size && ops[1].number >= list->size);
}

/* A value that is told from a register: what that holds, or what lies in the frame. */
static void read_value(const struct sym_statements *list, const Dwarf_Op *ops, size_t count,
                       struct sym_statement *statement)
{
  const uint64_t reg = sym_register_bit(ops[0].atom - DW_OP_breg0);
  const bool is_loaded = is_load(list, ops, count);
  statement->told = SYM_TOLD_OTHERWISE;
  statement->reg = reg;
  statement->offset = (int64_t)ops[0].number;
  if (!is_extension(ops + is_loaded, count - is_loaded))
    return;
  /* clang 14 leaves out the load of what it has spilled. */
  if (reg & list->frame)
    statement->told = SYM_TOLD_IN_SLOT;
  else if (ops[0].number == 0)
    statement->told = SYM_TOLD_IN_REGISTER;
}

static bool is_partial(const Dwarf_Op *ops, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece || ops[i].atom == DW_OP_implicit_pointer)
      return true;
  return false;
}

static void read_entry(const struct sym_statements *list, Dwarf_Die *function, Dwarf_Attribute *attribute,
                       const Dwarf_Op *ops, size_t count, struct sym_statement *statement)
{
  const uint8_t atom = ops[0].atom;
  const bool is_value = ops[count - 1].atom == DW_OP_stack_value, is_single = count == 1;
  if (is_partial(ops, count)) {
    return;
  } else if (atom == DW_OP_entry_value || atom == DW_OP_GNU_entry_value) {
    const int reg = sym_entry_value_register(attribute, &ops[0]);
    const bool is_own = reg >= 0 && sym_register_bit((uint64_t)reg) == list->passed && is_extension(ops, count);
    statement->told = is_own ? SYM_TOLD_ON_ENTRY : SYM_TOLD_OTHERWISE;
  } else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31 && is_single) {
    statement->told = SYM_TOLD_IN_REGISTER;
    statement->reg = sym_register_bit(atom - DW_OP_reg0);
  } else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31 && is_value) {
    read_value(list, ops, count, statement);
  } else if (is_single && ((atom >= DW_OP_breg0 && atom <= DW_OP_breg31) || atom == DW_OP_fbreg)) {
    const int reg = atom == DW_OP_fbreg ? sym_frame_register(function) : atom - DW_OP_breg0;
    statement->told = reg < 0 ? SYM_TOLD_UNKNOWN : SYM_TOLD_IN_SLOT;
    statement->reg = reg < 0 ? 0 : sym_register_bit((uint64_t)reg);
    statement->offset = (int64_t)ops[0].number;
  } else if (is_value || atom == DW_OP_implicit_value) {
    statement->told = SYM_TOLD_OTHERWISE;
  }
}

bool sym_statements_read(struct sym_statements *list, Dwarf_Die *function, Dwarf_Attribute *attribute, Dwarf_Addr low,
                         Dwarf_Addr high)
{
  struct sym_location_list entries = {.attribute = attribute};
  while (sym_location_list_next(&entries)) {
    if (entries.start >= entries.end || entries.count == 0)
      continue;
    if (list->count == SYM_STATEMENTS_MAX)
      return false;
    struct sym_statement *statement = &list->statements[list->count++];
    *statement = (struct sym_statement){.start = entries.start, .end = entries.end, .told = SYM_TOLD_UNKNOWN};
    /* A single description holds everywhere. */
    if (entries.start < low && entries.end > high) {
      statement->start = low;
      statement->end = high;
    }
    read_entry(list, function, attribute, entries.ops, entries.count, statement);
  }
  return list->count > 0 && !entries.is_cut;
}
