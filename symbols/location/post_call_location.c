/*
 * Traces locations that hold only after the hook's call back to what the hook sees.
 */
#include "symbols/location/post_call_location.h"

#include "symbols/dwarf/die.h"
#include "symbols/flow/flow.h"
#include "symbols/flow/spill.h"
#include "symbols/location/composite_location.h"
#include "symbols/location/entry_value_copy.h"
#include "symbols/location/location_list.h"

enum {
  ENTRIES_MAX = 64, /* entries of a location list that begin soon after the call */
  REACH = 1024      /* bytes after the call */
};

/* Whether a slot was filled by the caller: it lies at or above the canonical frame address. */
static bool is_argument_slot(const struct sym_location_context *context, unsigned base, int64_t offset)
{
  const struct sym_frame *frame = context->frame;
  return frame->cfa_kind == FMT_CFA_REGISTER && frame->cfa_register == base && offset >= frame->cfa_offset;
}

/* Appends ops that push the `size` bytes that the first store after the call puts into a slot, of those that end before
 * `until`. */
static bool first_store(const struct sym_location_context *context, unsigned base, int64_t offset, uint8_t size,
                        uint64_t until, struct sym_code *code)
{
  struct sym_flow flow;
  sym_flow_begin(&flow, context->hook, context->pc, sym_location_bases(context));
  while (sym_flow_step(&flow) && flow.at < until)
    switch (sym_flow_memory_at(&flow, base, offset, size, code)) {
    case SYM_FLOW_STORED:
      return true;
    case SYM_FLOW_UNKNOWN:
      return false;
    case SYM_FLOW_UNTOUCHED:
      break;
    }
  return false;
}

/* Settles a description that begins with a load from the frame: the slot holds a pointer, which was passed in place of
 * the object. Unless the caller filled the slot, it is replaced by what the first store after the call puts there. */
static void settle_loaded(const struct sym_location_context *context, struct sym_location *location)
{
  const struct fmt_op *ops = location->code.ops;
  struct sym_code code = {0};
  if (ops[0].code != FMT_OP_REG || ops[1].code != FMT_OP_FRAME_LOAD ||
      (!is_argument_slot(context, ops[0].reg, ops[1].imm) &&
       !first_store(context, ops[0].reg, ops[1].imm, ops[1].size, UINT64_MAX, &code))) {
    sym_location_lose(location, SYM_LOST_NO_RANGE);
    return;
  }
  if (code.count == 0)
    return;
  if (ops[1].size < 8)
    sym_code_add(&code, FMT_OP_EXTEND, 0, ops[1].size, 0, 0);
  for (unsigned i = 2; i < location->code.count; i++)
    sym_code_add(&code, ops[i].code, ops[i].reg, ops[i].size, ops[i].flags, ops[i].imm);
  if (sym_code_has(&location->code, FMT_OP_BRANCH) || sym_code_has(&location->code, FMT_OP_SKIP))
    sym_location_lose(location, SYM_LOST_OPERATION);
  else
    location->code = code;
}

void sym_post_call_home(const struct sym_location_context *context, uint64_t size, struct sym_location *location)
{
  uint8_t base;
  int64_t offset;
  /* Of what is lost there is no code. */
  if (location->kind == SYM_LOCATION_LOST)
    return;
  if (sym_code_has(&location->code, FMT_OP_FRAME_LOAD)) {
    /* A value that is computed rather than kept in memory was followed by the optimiser. Its description holds for the
     * whole scope, from the first instruction on, and so at the hook's call too: there is nothing to settle. */
    if (location->kind != SYM_LOCATION_VALUE)
      settle_loaded(context, location);
    return;
  }
  if (location->kind != SYM_LOCATION_MEMORY || !sym_code_is_frame(&location->code, 0, sym_location_bases(context)))
    return;
  struct sym_code code = {0};
  if (!sym_code_is_sum(&location->code, &base, &offset)) {
    sym_location_lose(location, SYM_LOST_NO_RANGE);
    return;
  }
  if (is_argument_slot(context, base, offset) ||
      (size <= 8 && !context->is_inlined && sym_entry_fills(context, base, offset + location->inner, (uint8_t)size)))
    return;
  if (size > 8 || !first_store(context, base, offset + location->inner, (uint8_t)size, UINT64_MAX, &code)) {
    sym_location_lose(location, SYM_LOST_NO_RANGE);
    return;
  }
  location->kind = SYM_LOCATION_VALUE;
  location->code = code;
  location->inner = 0;
  location->known = (uint8_t)size;
}

/* The entries of a location list that begin within reach of the call. */
struct entries {
  uint64_t starts[ENTRIES_MAX];
  Dwarf_Op *ops[ENTRIES_MAX];
  size_t counts[ENTRIES_MAX];
  unsigned count;
};

static void find_entries(const struct sym_location_context *context, Dwarf_Attribute *attribute,
                         struct entries *entries)
{
  struct sym_location_list list = {.attribute = attribute};
  entries->count = 0;
  while (entries->count < ENTRIES_MAX && sym_location_list_next(&list)) {
    if (list.start <= context->pc || list.start - context->pc > REACH || list.start >= list.end)
      continue;
    entries->starts[entries->count] = list.start;
    entries->ops[entries->count] = list.ops;
    entries->counts[entries->count] = list.count;
    entries->count++;
  }
}

/* Whether the ops only copy: a register, a word of the frame, an address or a constant; with `or_move`, also constants
 * added to that. */
static bool is_copy(const struct sym_location *location, uint8_t stack_pointer, bool or_move)
{
  const struct sym_code *code = &location->code;
  for (unsigned i = 0; i < code->count; i++)
    switch (code->ops[i].code) {
    case FMT_OP_REG:
    case FMT_OP_FRAME_LOAD:
    case FMT_OP_EXTEND:
    case FMT_OP_CONST:
    case FMT_OP_ADDRESS:
      break;
    case FMT_OP_ADD_CONST:
      if (location->kind != SYM_LOCATION_MEMORY && code->ops[0].reg != stack_pointer && !or_move)
        return false;
      break;
    default:
      return false;
    }
  return true;
}

/* Whether a value is made of what lies in this place of the frame. */
static bool loads(const struct sym_code *code, int64_t offset)
{
  for (unsigned i = 0; i < code->count; i++)
    if (code->ops[i].code == FMT_OP_FRAME_LOAD && code->ops[i].imm == offset)
      return true;
  return false;
}

/* Where the entry ends that holds where the call returns, with what tells the same behind it. A store that it ends
 * behind puts something else into the slot: the variable lay there before, and does no longer. */
static uint64_t end_of_entry(const struct sym_location_context *context, Dwarf_Attribute *attribute)
{
  struct sym_location_list list = {.attribute = attribute};
  const Dwarf_Op *ops = NULL;
  uint64_t end = 0;
  while (sym_location_list_next(&list)) {
    const bool goes_on =
        ops && list.start == end && list.count == 1 && list.ops->atom == ops->atom && list.ops->number == ops->number;
    if (!goes_on && (list.start > context->pc || list.end <= context->pc || list.end <= end))
      continue;
    ops = list.count == 1 ? list.ops : NULL;
    end = list.end;
  }
  return end ? end : UINT64_MAX;
}

bool sym_post_call_stored(const struct sym_location_context *context, Dwarf_Attribute *attribute, uint64_t size,
                          struct sym_location *location)
{
  uint8_t base;
  int64_t offset;
  struct sym_code code = {0};
  if (location->kind != SYM_LOCATION_MEMORY || !sym_code_is_sum(&location->code, &base, &offset) ||
      !sym_code_is_frame(&location->code, 0, sym_location_bases(context)) || is_argument_slot(context, base, offset))
    return true;
  const uint64_t until = end_of_entry(context, attribute);
  if (size > 8 || !first_store(context, base, offset + location->inner, (uint8_t)size, until, &code))
    return !sym_spill_is_named(context->spills, context->physical, context->frame, base, offset);
  if (loads(&code, offset + location->inner))
    return true;
  location->kind = SYM_LOCATION_VALUE;
  location->code = code;
  location->inner = 0;
  location->known = (uint8_t)size;
  return is_copy(location, context->hook->processor->stack_pointer, false);
}

void sym_post_call_settle(const struct sym_location_context *context, struct sym_location *location)
{
  Dwarf_Die physical = *context->physical;
  /* Whether an inlined function of clang's has made it is asked of its out-of-line copy. */
  if (context->writes_after_call && context->is_inlined && sym_die_tells_calls(&physical))
    return;
  const uint8_t stack_pointer = context->hook->processor->stack_pointer;
  if (sym_location_is_constant(location)) {
    sym_location_lose(location, context->is_inlined ? SYM_LOST_NO_RANGE : SYM_LOST_SET);
    return;
  }
  if (location->kind == SYM_LOCATION_LOST || is_copy(location, stack_pointer, false))
    return;
  if (location->kind == SYM_LOCATION_VALUE && is_copy(location, stack_pointer, true))
    location->is_moved = true;
  else
    sym_location_lose(location, SYM_LOST_NO_RANGE);
}

/* Whether an entry begins, or holds, where the call returns; it may end where it begins. What begins later is then
 * another value, as it may be where the list is too long to be looked through. */
static bool is_told_at_return(const struct sym_location_context *context, Dwarf_Attribute *attribute)
{
  struct sym_location_list list = {.attribute = attribute};
  while (sym_location_list_next(&list))
    if (list.start <= context->pc && (list.start == context->pc || list.end > context->pc))
      return true;
  return list.is_cut;
}

bool sym_post_call_is_elsewhere(const struct sym_location *location)
{
  return sym_code_has(&location->code, FMT_OP_LOAD) ||
         (location->kind == SYM_LOCATION_MEMORY && sym_code_has(&location->code, FMT_OP_ADDRESS));
}

void sym_post_call_location(const struct sym_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                            uint64_t size, struct sym_location *location)
{
  struct entries entries;
  struct sym_flow flow;
  sym_location_lose(location, SYM_LOST_NO_RANGE);
  if (is_told_at_return(context, attribute))
    return;
  find_entries(context, attribute, &entries);
  if (entries.count == 0)
    return;
  struct sym_location_context later = *context;
  later.flow = &flow;
  sym_flow_begin(&flow, context->hook, context->pc, sym_location_bases(context));
  while (sym_flow_step(&flow))
    for (unsigned i = 0; i < entries.count; i++)
      if (entries.starts[i] == flow.at) {
        sym_composite_location(&later, SYM_LATER, attribute, entries.ops[i], entries.counts[i], offset, size, location);
        sym_post_call_settle(context, location);
        if (!context->writes_after_call && location->kind != SYM_LOCATION_LOST && sym_post_call_is_elsewhere(location))
          sym_location_lose(location, SYM_LOST_NO_RANGE);
        return;
      }
}
