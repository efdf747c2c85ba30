/* Follows what registers hold on entry to the call of the hook. */
#include "symbols/location/passed_location.h"

#include "symbols/flow/step.h"
#include "symbols/location/abi.h"
#include "symbols/location/entry_value_copy.h"
#include "symbols/location/hook_registers.h"

struct sym_location_context sym_context_at_entry(const struct sym_location_context *context, struct sym_frame *frame)
{
  struct sym_location_context at_entry = *context;
  sym_frame_at_entry(context->hook->processor, frame);
  at_entry.frame = frame;
  at_entry.pc = at_entry.call = context->entry;
  at_entry.sled_end = sym_step_past_landing(context->hook, context->entry);
  at_entry.writes_after_call = false;
  return at_entry;
}

/* Puts what argument register `reg` held on entry, the bytes from `inner` on, into `location`. */
static void locate_copy(const struct sym_location_context *context, uint8_t reg, int64_t inner, uint64_t size,
                        struct sym_location *location)
{
  struct sym_code copy = {0};
  uint8_t known = sym_entry_value_copy(context, reg, &copy);
  if (known == 0 && reg < 16 && context->told >> reg & 1) {
    sym_code_add(&copy, FMT_OP_ENTRY, reg, 0, 0, 0);
    known = 8;
  }
  *location = (struct sym_location){.kind = SYM_LOCATION_VALUE, .code = copy, .inner = inner, .known = known};
  if (inner < 0 || (uint64_t)inner + size > known)
    sym_location_lose(location, SYM_LOST_ENTRY_VALUE);
}

/* Puts what the caller put on the stack, `offset` bytes from the canonical frame address, into `location`. */
static void locate_slot(const struct sym_location_context *context, int64_t offset, int64_t inner,
                        struct sym_location *location)
{
  *location = (struct sym_location){.kind = SYM_LOCATION_MEMORY, .known = sizeof(uint64_t), .inner = inner};
  const enum sym_lost lost = sym_push_cfa(context, &location->code);
  sym_code_add_constant(&location->code, offset);
  if (lost)
    sym_location_lose(location, lost);
}

/* Whether DWARF tells nothing of the function's first instruction of what the ABI has a place for: what it tells later
 * may be a new value. */
static bool is_told_late(const struct sym_abi_place *place, const struct sym_location *passed)
{
  return place && (place->kind == SYM_ABI_IN_REGISTERS || place->kind == SYM_ABI_ON_STACK) && !place->is_reference &&
         !place->is_object && passed->kind == SYM_LOCATION_LOST && passed->lost == SYM_LOST_NO_RANGE;
}

bool sym_has_passed_location(const struct sym_location_context *context)
{
  return !context->is_inlined && context->entry && context->abi && sym_entry_leads_to_call(context);
}

/* Whether a location is memory that the caller has filled, `from_cfa` bytes from the canonical frame address. */
static bool is_of_caller(const struct sym_frame *frame, const struct sym_location *location, int64_t *from_cfa)
{
  uint8_t base;
  int64_t offset;
  if (location->kind != SYM_LOCATION_MEMORY || frame->cfa_kind != FMT_CFA_REGISTER ||
      !sym_code_is_sum(&location->code, &base, &offset) || base != frame->cfa_register || offset < frame->cfa_offset)
    return false;
  *from_cfa = offset - frame->cfa_offset;
  return true;
}

/* Whether the variable is told to be on the stack where the function begins, and elsewhere, in a register or computed,
 * later: that may be a new value. */
static bool is_taken_from_stack(const struct sym_location_context *context, const struct sym_location *passed,
                                const struct sym_location *location, int64_t *from_cfa)
{
  struct sym_frame frame;
  sym_frame_at_entry(context->hook->processor, &frame);
  return (location->kind == SYM_LOCATION_REGISTER ||
          (location->kind == SYM_LOCATION_VALUE && !sym_location_is_constant(location))) &&
         is_of_caller(&frame, passed, from_cfa);
}

void sym_passed_location(const struct sym_location_context *context, Dwarf_Die *die, const struct sym_location *passed,
                         int64_t offset, uint64_t size, struct sym_location *location)
{
  const struct sym_abi_place *place = sym_abi_place_of(context->abi, die);
  const bool is_elsewhere = place && (place->is_out_of_order || (place->is_doubtful && context->abi->is_certain));
  const bool is_late = is_told_late(place, passed), is_own = is_late && context->abi->tells_own && !place->is_unread;
  int64_t from_cfa;
  if (is_late && place->kind == SYM_ABI_ON_STACK && is_of_caller(context->frame, location, &from_cfa))
    return;
  if (is_own && place->kind == SYM_ABI_ON_STACK)
    locate_slot(context, place->offset, offset, location);
  else if (is_taken_from_stack(context, passed, location, &from_cfa))
    locate_slot(context, from_cfa, passed->inner, location);
  else if (is_own)
    locate_copy(context, place->registers[0], offset, size, location);
  else if (is_late || (passed->kind == SYM_LOCATION_LOST && (passed->lost == SYM_LOST_SET || is_elsewhere)))
    sym_location_lose(location, (enum sym_lost)passed->lost);
  else if (passed->kind == SYM_LOCATION_LOST && sym_location_is_computed(location))
    sym_location_lose(location, SYM_LOST_NO_RANGE);
  else if (passed->kind == SYM_LOCATION_REGISTER)
    locate_copy(context, passed->reg, passed->inner, size, location);
}
