/*
 * Where a variable is at a probe site: the descriptions that DWARF gives of it, asked one after another.
 */
#include "symbols/location/locate.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/flow/entry_reads.h"
#include "symbols/flow/operands.h"
#include "symbols/flow/step.h"
#include "symbols/location/abi.h"
#include "symbols/location/caller_constant.h"
#include "symbols/location/clone_parameters.h"
#include "symbols/location/composite_location.h"
#include "symbols/location/earlier_copy.h"
#include "symbols/location/entry_value_copy.h"
#include "symbols/location/inlined_later.h"
#include "symbols/location/inlined_location.h"
#include "symbols/location/location_list.h"
#include "symbols/location/passed_location.h"
#include "symbols/location/post_call_location.h"
#include "symbols/location/sled_location.h"
#include "symbols/location/spilled_location.h"
#include "symbols/processor/processor.h"

enum {
  DESCRIPTIONS_MAX = 4, /* entries of a location list that hold at one PC */
  FRAME_STEPS = 8       /* instructions that make a frame: pushes of what is given back, and room */
};

/* Makes a location of the variable's DW_AT_const_value. False: it has none. Constants of a form with a fixed size are
 * read as unsigned, since the compilers write negative ones as sdata. */
static bool constant(Dwarf_Die *die, int64_t offset, uint64_t size, struct sym_location *location)
{
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  Dwarf_Block block;
  if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
    return false;
  *location = (struct sym_location){.kind = SYM_LOCATION_BYTES, .inner = offset};
  unsigned form = dwarf_whatform(&attribute);
  bool is_signed = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
  if (is_signed ? dwarf_formsdata(&attribute, (Dwarf_Sword *)&value) == 0 : dwarf_formudata(&attribute, &value) == 0) {
    memcpy(location->small, &value, sizeof value);
    location->bytes = NULL;
    location->byte_count = sizeof value;
  } else if (dwarf_formblock(&attribute, &block) == 0) {
    location->bytes = block.data;
    location->byte_count = block.length;
  } else if (form == DW_FORM_string || form == DW_FORM_strp || form == DW_FORM_line_strp || form == DW_FORM_strx) {
    const char *string = dwarf_formstring(&attribute);
    location->bytes = (const uint8_t *)string;
    location->byte_count = string ? strlen(string) + 1 : 0;
  } else {
    return false;
  }
  if (offset < 0 || (uint64_t)offset + size > location->byte_count)
    sym_location_lose(location, SYM_LOST_PIECE);
  return true;
}

/* The variable's description at `pc`: the first of those that hold there which can be followed. */
static void at_pc(const struct sym_location_context *context, uint64_t pc, enum sym_moment moment,
                  Dwarf_Attribute *attribute, int64_t offset, uint64_t size, struct sym_location *location)
{
  Dwarf_Op *ops[DESCRIPTIONS_MAX];
  size_t counts[DESCRIPTIONS_MAX];
  int found = sym_location_list_at(attribute, pc, ops, counts, DESCRIPTIONS_MAX);
  sym_location_lose(location, found < 0 ? SYM_LOST_CORRUPT : SYM_LOST_NO_RANGE);
  for (int i = 0; i < found; i++) {
    sym_composite_location(context, moment, attribute, ops[i], counts[i], offset, size, location);
    if (location->kind != SYM_LOCATION_LOST)
      return;
  }
}

/* Whether the attribute is one description for the whole scope rather than a list. */
static bool is_single(Dwarf_Attribute *attribute)
{
  switch (dwarf_whatform(attribute)) {
  case DW_FORM_exprloc:
  case DW_FORM_block:
  case DW_FORM_block1:
  case DW_FORM_block2:
  case DW_FORM_block4:
    return true;
  default:
    return false;
  }
}

/* Whether a constant was added to a constant. A compiler folds what it passes: this is a constant that was passed and
 * that the function has begun to count. */
static bool is_counted_constant(const struct sym_location *location)
{
  const struct sym_code *code = &location->code;
  if (location->kind != SYM_LOCATION_VALUE || code->count < 3)
    return false;
  for (unsigned i = 0; i < code->count; i++)
    if (code->ops[i].code != FMT_OP_CONST && code->ops[i].code != FMT_OP_MINUS && code->ops[i].code != FMT_OP_PLUS)
      return false;
  return true;
}

/* What DWARF says for a time after the call, where it says nothing of the call itself: `location` is lost and stays so
 * when that does not tell what was passed. What gcc tells only then may be what the function sets its parameter to, of
 * which what was passed is nowhere, unless the out-of-line copy shows that it keeps it. */
static void after_call(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute,
                       int64_t offset, uint64_t size, struct sym_location *location)
{
  struct sym_location other;
  /* clang binds a parameter right after the call of the hook; gcc binds it before, and what it binds there is new. */
  if (context->writes_after_call) {
    at_pc(context, context->pc, SYM_AFTER_CALL, attribute, offset, size, location);
    /* Nothing has been stored into the frame when the hook is called. */
    if (context->is_inlined) {
      if (!sym_post_call_stored(context, attribute, size, location))
        sym_location_lose(location, SYM_LOST_NO_RANGE);
    } else {
      sym_post_call_home(context, size, location);
      sym_post_call_settle(context, location);
    }
    if (is_counted_constant(location))
      sym_location_lose(location, SYM_LOST_NO_RANGE);
    else if (location->kind != SYM_LOCATION_LOST)
      return;
  }
  sym_post_call_location(context, attribute, offset, size, &other);
  if (!context->writes_after_call && other.kind != SYM_LOCATION_LOST && !sym_inlined_keeps(context, die, &other))
    sym_location_lose(&other, SYM_LOST_NO_RANGE);
  if (other.kind != SYM_LOCATION_LOST || location->lost == SYM_LOST_NO_RANGE)
    *location = other;
}

/* Where the variable is before anything of the function's: the first description of its list that begins at the
 * function and ends there too, when the function does something else with it at once. gcc writes such ones where it
 * numbers the views of an address. False: there is none. */
static bool at_view_of_entry(const struct sym_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                             uint64_t size, struct sym_location *location)
{
  struct sym_location_list list = {.attribute = attribute};
  while (context->entry && sym_location_list_next(&list)) {
    if (list.start != list.end || list.start < context->entry || list.start > context->call)
      continue;
    sym_composite_location(context, SYM_AT_CALL, attribute, list.ops, list.count, offset, size, location);
    return true;
  }
  return false;
}

/* Whether a list tells somewhere that the function is not passed the variable, but knows what its callers had for it:
 * gcc writes so of what it took out of a clone, from where the value is asked for on. */
static bool is_omitted(Dwarf_Attribute *attribute)
{
  struct sym_location_list list = {.attribute = attribute};
  while (sym_location_list_next(&list))
    for (size_t k = 0; k < list.count; k++)
      if (list.ops[k].atom == DW_OP_GNU_parameter_ref)
        return true;
  return false;
}

/* Where the variable is told to be behind instructions that make the function's frame: a register that none of them
 * writes holds the same before them. */
static void behind_frame(const struct sym_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                         uint64_t size, struct sym_location *location)
{
  struct sym_step step;
  uint64_t at = context->sled_end, written = 0;
  for (unsigned i = 0; i < FRAME_STEPS && location->kind == SYM_LOCATION_LOST && location->lost == SYM_LOST_NO_RANGE;
       i++) {
    if (!context->hook->processor->has_flow || !sym_step_at(context->hook, at, UINT64_MAX, &step) || step.is_call ||
        step.target || !step.falls_through)
      return;
    written |= sym_operands_of(&step.instruction).writes;
    at += step.size;
    at_pc(context, at, SYM_AT_CALL, attribute, offset, size, location);
  }
  const bool is_register = location->kind == SYM_LOCATION_REGISTER || location->kind == SYM_LOCATION_VECTOR;
  if (!is_register || written >> location->reg & 1)
    sym_location_lose(location, SYM_LOST_NO_RANGE);
}

/* At a sled, before the function's first instruction. */
static void at_sled(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute,
                    int64_t offset, uint64_t size, struct sym_location *location)
{
  if (attribute) {
    bool is_found = !is_single(attribute) && at_view_of_entry(context, attribute, offset, size, location);
    if (!is_found)
      at_pc(context, context->call, SYM_AT_CALL, attribute, offset, size, location);
    /* clang binds parameters behind its sleds, which change nothing. */
    if (location->kind == SYM_LOCATION_LOST && location->lost == SYM_LOST_NO_RANGE)
      at_pc(context, context->sled_end, SYM_AT_CALL, attribute, offset, size, location);
    if (location->kind == SYM_LOCATION_LOST && location->lost == SYM_LOST_NO_RANGE && !is_single(attribute))
      behind_frame(context, attribute, offset, size, location);
    if (location->kind == SYM_LOCATION_LOST && location->lost == SYM_LOST_NO_RANGE && is_omitted(attribute))
      sym_location_lose(location, SYM_LOST_OMITTED);
    if (!is_found && !is_single(attribute) && sym_clone_lacks(context, die, attribute))
      sym_location_lose(location, SYM_LOST_OMITTED);
    if (!is_single(attribute) && sym_clone_sets(context, die, attribute))
      sym_location_lose(location, SYM_LOST_OMITTED);
    sym_sled_settle(location);
  }
  sym_abi_settle(context, die, offset, size, location);
}

/* Whether a variable is a structure that the caller of clang's optimised function puts on the stack, of which the
 * function reads nothing: then callers need not write it. */
static bool is_unread_on_stack(const struct sym_location_context *context, Dwarf_Die *die,
                               const struct sym_location *location)
{
  const struct sym_frame *frame = context->frame;
  Dwarf_Die physical = *context->physical, type;
  Dwarf_Addr high;
  uint8_t base;
  int64_t offset;
  if (context->hook->processor != &sym_x86_64 || location->kind != SYM_LOCATION_MEMORY || context->is_inlined ||
      !context->entry || frame->cfa_kind != FMT_CFA_REGISTER || !sym_code_is_sum(&location->code, &base, &offset) ||
      base != frame->cfa_register || offset < frame->cfa_offset || !sym_die_tells_calls(&physical) ||
      !sym_type_of(die, &type) || dwarf_highpc(&physical, &high) != 0)
    return false;
  const struct sym_entry_places asked = {0, sym_entry_words(offset - frame->cfa_offset, sym_type_size(&type))};
  return asked.words && !sym_entry_reads(context->hook, context->entry, high, asked).words;
}

/* Whether the parameter was passed as a double, and lies where DWARF tells a float: gcc says so of functions without
 * prototype. */
static bool is_converted(const struct sym_location_context *context, Dwarf_Die *die)
{
  Dwarf_Die root, function = *context->physical, type;
  Dwarf_Attribute attribute;
  Dwarf_Word encoding;
  sym_die_root(&function, &root);
  return !context->is_inlined && dwarf_tag(die) == DW_TAG_formal_parameter && !sym_die_is_cxx(die) &&
         !sym_die_is_fortran(die) && !dwarf_hasattr_integrate(&root, DW_AT_prototyped) && sym_type_of(die, &type) &&
         sym_type_strip(&type) && dwarf_tag(&type) == DW_TAG_base_type && sym_type_size(&type) == 4 &&
         dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding) == 0 && encoding == DW_ATE_float;
}

/* Whether a description begins where the hook's call returns. clang binds the parameters of an inlined function there;
 * what holds at the call may then be those of the copy of it before, in a loop that was unrolled. */
static bool begins_at_return(const struct sym_location_context *context, Dwarf_Attribute *attribute)
{
  struct sym_location_list list = {.attribute = attribute};
  while (sym_location_list_next(&list))
    if (list.start == context->pc && list.start < list.end)
      return true;
  return false;
}

/* At a call of the hook: what is described there, and of clang's inlined functions what that is at this time. */
static void at_hook(const struct sym_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                    uint64_t size, struct sym_location *location)
{
  const bool is_of_clang = context->writes_after_call && context->is_inlined;
  sym_location_lose(location, SYM_LOST_NO_RANGE);
  if (is_of_clang && !is_single(attribute) && begins_at_return(context, attribute))
    return;
  if (is_of_clang && !is_single(attribute) &&
      (sym_inlined_is_early(context, attribute) || sym_inlined_is_stale(context, attribute))) {
    sym_location_lose(location, SYM_LOST_NOT_YET);
    return;
  }
  at_pc(context, context->call, SYM_AT_CALL, attribute, offset, size, location);
  if (location->kind == SYM_LOCATION_LOST)
    at_pc(context, context->pc - 1, SYM_AT_CALL, attribute, offset, size, location);
  /* clang 19 tells the slot of an inlined function's parameter before it is filled. What is stored there after the call
   * may be what was passed, or what it becomes. */
  struct sym_location stored = *location;
  if (is_of_clang && !is_single(attribute) && location->kind == SYM_LOCATION_MEMORY) {
    const bool is_filled = sym_post_call_stored(context, attribute, size, &stored);
    if (!is_filled || stored.kind != SYM_LOCATION_MEMORY)
      sym_location_lose(location, SYM_LOST_FRAME_NUMBER);
  }
}

/* Whether something is added in what is computed. */
static bool is_sum(const struct sym_code *code)
{
  for (unsigned i = 0; i < code->count; i++)
    if (code->ops[i].code == FMT_OP_ADD_CONST || code->ops[i].code == FMT_OP_PLUS || code->ops[i].code == FMT_OP_MINUS)
      return true;
  return false;
}

/* Whether something is added to what the caller put on the stack: what was passed is that, and not the sum. */
static bool is_sum_of_argument(const struct sym_location_context *context, const struct sym_code *code)
{
  const struct sym_frame *frame = context->frame;
  return is_sum(code) && code->ops[0].code == FMT_OP_REG && code->ops[1].code == FMT_OP_FRAME_LOAD &&
         frame->cfa_kind == FMT_CFA_REGISTER && code->ops[0].reg == frame->cfa_register &&
         code->ops[1].imm >= frame->cfa_offset;
}

/* Loses, or finds elsewhere, what an out-of-line function was passed in a register and is said to keep in one of which
 * it has made something else: gcc goes on calling that the parameter where the function extends or shifts a structure
 * in place, and clang tells what it has computed of it by then. Where that is a sum from the first instruction on,
 * before which nothing was computed, or one of what lies on the stack, what was passed is told nowhere. */
static void settle_kept(const struct sym_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                        uint64_t size, struct sym_location *location)
{
  struct sym_location_context at_entry = *context;
  struct sym_location passed;
  const bool is_made = location->kind == SYM_LOCATION_VALUE && !sym_location_is_constant(location) &&
                       !sym_code_has(&location->code, FMT_OP_ENTRY);
  if ((location->kind != SYM_LOCATION_REGISTER && !is_made) || context->is_inlined || !context->entry)
    return;
  at_entry.sled_end = context->entry;
  at_pc(&at_entry, context->entry, SYM_AT_CALL, attribute, offset, size, &passed);
  const uint64_t end = (uint64_t)location->inner + size;
  if (is_made &&
      ((passed.kind == SYM_LOCATION_VALUE && is_sum(&passed.code)) || is_sum_of_argument(context, &location->code)))
    sym_location_lose(location, SYM_LOST_NO_RANGE);
  if (passed.kind != SYM_LOCATION_REGISTER || passed.inner != location->inner ||
      (!is_made && sym_entry_register_is_kept(context, passed.reg, location->reg, end)))
    return;
  struct sym_code copy = {0};
  if (sym_entry_value_copy(context, passed.reg, &copy) < end) {
    if (!is_made)
      sym_location_lose(location, SYM_LOST_NO_RANGE);
    return;
  }
  location->kind = SYM_LOCATION_VALUE;
  location->code = copy;
}

/* Loses what an optimised function puts first into the home of a parameter, where that may be what it sets it to: what
 * it was passed comes out of a register or the frame, and is stored before, unless it is overwritten at once. */
static void settle_home(const struct sym_location_context *context, struct sym_location *location)
{
  Dwarf_Die physical = *context->physical;
  if (location->kind != SYM_LOCATION_VALUE || !sym_die_tells_calls(&physical))
    return;
  if (sym_location_is_constant(location) ? !context->is_inlined : sym_code_has(&location->code, FMT_OP_LOAD))
    sym_location_lose(location, SYM_LOST_NO_RANGE);
  else if (!context->is_inlined)
    sym_post_call_settle(context, location);
}

/* Whether a truth value is told as the result of arithmetic, of which only the lowest bit is what was passed: gcc
 * leaves out what takes the others away. */
static bool is_unmasked_truth(Dwarf_Die *die, const struct sym_location *location)
{
  Dwarf_Die type;
  Dwarf_Attribute attribute;
  Dwarf_Word encoding;
  const struct sym_code *code = &location->code;
  if (location->kind != SYM_LOCATION_VALUE || code->count < 2 || sym_location_is_constant(location) ||
      !sym_type_of(die, &type) || !sym_type_strip(&type) || dwarf_tag(&type) != DW_TAG_base_type ||
      dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding) != 0 || encoding != DW_ATE_boolean)
    return false;
  switch (code->ops[code->count - 1].code) {
  case FMT_OP_NOT:
  case FMT_OP_NEG:
  case FMT_OP_PLUS:
  case FMT_OP_MINUS:
  case FMT_OP_MUL:
  case FMT_OP_ADD_CONST:
    return true;
  default:
    return false;
  }
}

/* Whether another description may give later what cannot be told of the call. A value on entry or in a slot is lost
 * where that cannot be told, and so is the part of an out-of-line function's structure that its description leaves out
 * at the call: what is told later may be a new value. */
static bool may_be_told_later(const struct sym_location_context *context, const struct sym_location *location)
{
  if (location->kind != SYM_LOCATION_LOST)
    return false;
  switch (location->lost) {
  case SYM_LOST_ENTRY_VALUE:
  case SYM_LOST_FRAME_NUMBER:
  case SYM_LOST_NOT_YET:
    return false;
  case SYM_LOST_PIECE:
    return context->is_inlined;
  default:
    return true;
  }
}

static void locate(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Die *abstract, int64_t offset,
                   uint64_t size, struct sym_location *location)
{
  Dwarf_Attribute attribute;
  if (!dwarf_attr(die, DW_AT_location, &attribute)) {
    if (!constant(die, offset, size, location) && !(abstract && constant(abstract, offset, size, location)))
      sym_location_lose(location, SYM_LOST_NO_LOCATION);
    if (context->sled_end)
      at_sled(context, die, NULL, offset, size, location);
    return;
  }
  if (context->sled_end) {
    at_sled(context, die, &attribute, offset, size, location);
    return;
  }
  if (!is_single(&attribute) &&
      (sym_clone_lacks(context, die, &attribute) || sym_clone_sets(context, die, &attribute))) {
    sym_location_lose(location, SYM_LOST_OMITTED);
    return;
  }
  at_hook(context, &attribute, offset, size, location);
  if (!is_single(&attribute)) {
    sym_settle_unfilled(context, size, location);
    if (may_be_told_later(context, location))
      after_call(context, die, &attribute, offset, size, location);
    /* clang binds at once what an out-of-line function sets its parameter to. */
    if (context->writes_after_call && !context->is_inlined && sym_location_is_constant(location))
      sym_location_lose(location, SYM_LOST_SET);
    sym_settle_spilled(context, size, location);
    settle_kept(context, &attribute, offset, size, location);
  } else if (context->writes_after_call && !context->is_spilled) {
    sym_post_call_home(context, size, location);
    settle_home(context, location);
    if (is_unread_on_stack(context, die, location))
      sym_location_lose(location, SYM_LOST_NOT_YET);
  }
  if (is_unmasked_truth(die, location) || (location->kind == SYM_LOCATION_VECTOR && is_converted(context, die)))
    sym_location_lose(location, SYM_LOST_OPERATION);
}

void sym_locate(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Die *abstract, int64_t offset,
                uint64_t size, struct sym_location *location)
{
  Dwarf_Die physical = *context->physical;
  const bool is_of_clang = context->writes_after_call && sym_die_tells_calls(&physical);
  locate(context, die, abstract, offset, size, location);
  if (is_of_clang && sym_has_passed_location(context)) {
    struct sym_frame frame;
    struct sym_location passed;
    const struct sym_location_context at_entry = sym_context_at_entry(context, &frame);
    locate(&at_entry, die, abstract, offset, size, &passed);
    sym_passed_location(context, die, &passed, offset, size, location);
  }
  sym_caller_constant_settle(context, die, offset, size, location);
  if (!context->is_inlined)
    return;
  if (location->kind == SYM_LOCATION_LOST)
    sym_inlined_later(context, die, offset, size, location);
  else if (is_of_clang && sym_inlined_may_be_made(context, die, location))
    sym_location_lose(location, SYM_LOST_MADE);
  if (sym_clone_may_lack_entry(context, location) || sym_inlined_may_be_stale(context, die, offset, size, location))
    sym_location_lose(location, SYM_LOST_OMITTED);
}
