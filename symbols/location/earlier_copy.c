/* Holds what is told at a hook's call against the code of the copies of an unrolled loop. */
#include "symbols/location/earlier_copy.h"

#include <dwarf.h>

#include "symbols/elf/list_bounds.h"
#include "symbols/flow/holders.h"
#include "symbols/flow/spill.h"
#include "symbols/flow/step.h"
#include "symbols/location/location_list.h"
#include "symbols/location/statements.h"

enum { REACH = 4096 }; /* bytes behind the call */

/* Whether what a statement says is a place that the value has been copied to. */
static bool is_copy(const struct sym_holders *holders, const struct sym_statement *statement)
{
  return statement->told == SYM_TOLD_IN_REGISTER
             ? holders->registers & statement->reg
             : statement->told == SYM_TOLD_IN_SLOT && sym_holders_has_slot(holders, statement->reg, statement->offset);
}

/* Whether another value is told before the next call, in the straight code behind the hook's, than lies where `before`
 * says. */
static bool is_renewed(const struct sym_location_context *context, const struct sym_statements *list,
                       const struct sym_statement *before)
{
  struct sym_step step = {.falls_through = true};
  struct sym_holders holders = {.registers = before->told == SYM_TOLD_IN_REGISTER ? before->reg : 0, .size = 1};
  if (before->told == SYM_TOLD_IN_SLOT)
    sym_holders_add_slot(&holders, before->reg, before->offset);
  for (Dwarf_Addr at = context->pc; at - context->pc < REACH && !step.is_call && !step.target && step.falls_through;) {
    if (!sym_step_at(context->hook, at, UINT64_MAX, &step) ||
        !sym_holders_step(&holders, context->hook->processor, &step))
      return false;
    at += step.size;
    for (unsigned i = 0; !step.is_call && i < list->count; i++)
      if (list->statements[i].start == at && !is_copy(&holders, &list->statements[i]))
        return true;
  }
  return false;
}

/* Where the latest call before `start` returns, in straight code of the part of the inlined function that holds it; 0:
 * there is none. */
static Dwarf_Addr call_before(const struct sym_location_context *context, Dwarf_Addr start)
{
  struct sym_step step;
  Dwarf_Die entered = *context->entered;
  Dwarf_Addr base, low, high, after = 0;
  ptrdiff_t next = 0;
  while ((next = sym_ranges_next(&entered, next, &base, &low, &high)) > 0)
    if (low < start && start < high)
      for (; low < start && sym_step_at(context->hook, low, high, &step); low += step.size)
        after = step.is_call ? low + step.size : step.falls_through ? after : 0;
  return after;
}

/* Whether a list of the inlined function's parameters and variables has an entry that begins in this range. */
static bool is_anything_told_from(const struct sym_location_context *context, Dwarf_Addr low, Dwarf_Addr high)
{
  Dwarf_Die entered = *context->entered, die;
  for (int next = dwarf_child(&entered, &die); next == 0; next = dwarf_siblingof(&die, &die)) {
    Dwarf_Attribute attribute;
    const bool is_variable = dwarf_tag(&die) == DW_TAG_formal_parameter || dwarf_tag(&die) == DW_TAG_variable;
    struct sym_location_list list = {.attribute = &attribute};
    if (!is_variable || !dwarf_attr(&die, DW_AT_location, &attribute))
      continue;
    while (sym_location_list_next(&list))
      if (list.start >= low && list.start < high && list.start < list.end)
        return true;
  }
  return false;
}

/* Whether a statement begins behind a call within the inlined function, where others have begun since that: the
 * function has bound its parameters by then, and this is what it sets one of them to. */
static bool begins_late(const struct sym_location_context *context, const struct sym_statements *list,
                        const struct sym_statement *statement)
{
  for (unsigned i = 0; i < list->count; i++)
    if (list->statements[i].end == statement->start)
      return false;
  const Dwarf_Addr returned = call_before(context, statement->start);
  return returned && is_anything_told_from(context, returned, statement->start);
}

/* Whether something computed is told from behind a call within the inlined function on, where another statement ends
 * that held at that call: the function has set the parameter by then. */
static bool is_set(const struct sym_location_context *context, const struct sym_statements *list,
                   const struct sym_statement *statement)
{
  const Dwarf_Addr returned = statement->told == SYM_TOLD_OTHERWISE ? call_before(context, statement->start) : 0;
  for (unsigned i = 0; returned && i < list->count; i++)
    if (list->statements[i].start <= returned && list->statements[i].end == statement->start)
      return true;
  return false;
}

/* Whether a part of the inlined function's code ends there. */
static bool is_end(const struct sym_location_context *context, Dwarf_Addr at)
{
  Dwarf_Die entered = *context->entered;
  Dwarf_Addr base, low, high = 0;
  ptrdiff_t next = 0;
  while (high != at && (next = sym_ranges_next(&entered, next, &base, &low, &high)) > 0)
    ;
  return high == at;
}

/* Whether a number that is told from the copy before on ends within this one, where the optimiser knows no more of the
 * parameter, or tells of another value: that is this copy's. So it may be where other numbers are told of other copies.
 */
static bool is_other_number(const struct sym_location_context *context, const struct sym_statements *list,
                            const struct sym_statement *before)
{
  struct sym_step step = {.falls_through = true};
  Dwarf_Addr at = context->pc;
  if (before->told != SYM_TOLD_OTHERWISE || !call_before(context, before->start))
    return false;
  for (unsigned i = 0; i < list->count; i++)
    if (list->statements[i].told == SYM_TOLD_OTHERWISE && &list->statements[i] != before)
      return true;
  if (is_end(context, before->end))
    return false;
  while (at < before->end && at - context->pc < REACH && sym_step_at(context->hook, at, UINT64_MAX, &step)) {
    const struct sym_code_bytes *code = sym_hook_code_at(context->hook, at);
    bool is_lazy;
    if (step.is_call && code && sym_hook_call_at(context->hook, code, (size_t)(at - code->address), &is_lazy))
      return false;
    at += step.size;
  }
  return at == before->end && step.falls_through && !step.target;
}

bool sym_inlined_is_stale(const struct sym_location_context *context, Dwarf_Attribute *attribute)
{
  const struct sym_processor *processor = context->hook->processor;
  Dwarf_Die physical = *context->physical;
  const int base = sym_frame_register(&physical);
  struct sym_statements list = {.size = 1};
  const struct sym_statement *before = NULL;
  list.frame = sym_register_bit(processor->stack_pointer) | (base < 0 ? 0 : sym_register_bit((uint64_t)base));
  if (!processor->has_flow || !sym_statements_read(&list, &physical, attribute, 0, UINT64_MAX))
    return false;
  for (unsigned i = 0; i < list.count; i++) {
    const struct sym_statement *statement = &list.statements[i];
    if (statement->start <= context->call && context->call < statement->end &&
        (!before || before->end < statement->end))
      before = statement;
  }
  return before &&
         (before->end <= context->pc || is_renewed(context, &list, before) || begins_late(context, &list, before) ||
          is_set(context, &list, before) || is_other_number(context, &list, before));
}
