/*
 * Decides by what DWARF says of a function's parameters whether the ABI may be asked of them.
 */
#include "symbols/location/abi_evidence.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/flow/entry_reads.h"
#include "symbols/location/abi.h"
#include "symbols/location/abi_used.h"
#include "symbols/location/locate.h"
#include "symbols/location/location_list.h"
#include "symbols/processor/x86_64.h"

enum { DEPTH_MAX = 8, CFA_OFFSET = 8 };

/* What DWARF says of a parameter, held against its place, NULL where that is not known. */
enum evidence { AGREES, DIFFERS, IS_KEPT, SAYS_NOTHING };

static enum evidence judge(const struct sym_location_context *context, const struct sym_abi *abi,
                           struct sym_abi_place *place, Dwarf_Die *parameter)
{
  struct sym_location location;
  uint8_t base;
  int64_t offset;
  sym_locate(context, parameter, NULL, 0, 1, &location);
  if (location.kind == SYM_LOCATION_LOST && location.lost == SYM_LOST_NOT_YET)
    return abi->may_be_unpassed && (!place || place->is_unread) && sym_abi_is_interrupted(parameter, context->sled_end)
               ? SAYS_NOTHING
               : IS_KEPT;
  /* What lies in the frame only later may be another value, which was stored there. */
  const bool in_register = abi->may_be_unpassed && place && place->kind == SYM_ABI_IN_REGISTERS;
  if (location.kind == SYM_LOCATION_LOST)
    return location.lost == SYM_LOST_NO_RANGE && sym_abi_is_used(parameter, 0, UINT64_MAX, in_register) ? IS_KEPT
                                                                                                        : SAYS_NOTHING;
  if (!place || place->kind == SYM_ABI_NOWHERE)
    return SAYS_NOTHING;
  bool is_sum = sym_code_is_sum(&location.code, &base, &offset);
  bool agrees;
  if (location.kind == SYM_LOCATION_VECTOR || location.kind == SYM_LOCATION_REGISTER)
    place->told = location.reg;
  if (location.kind == SYM_LOCATION_VECTOR)
    agrees = place->kind == SYM_ABI_IN_REGISTERS && !place->is_reference && place->registers[0] == location.reg;
  else if (location.kind == SYM_LOCATION_REGISTER)
    agrees =
        place->kind == SYM_ABI_IN_REGISTERS && !place->is_reference && place->registers[0] == location.code.ops[0].reg;
  else if (location.kind == SYM_LOCATION_MEMORY && is_sum && base == SYM_RSP)
    agrees = place->kind == SYM_ABI_ON_STACK && !place->is_reference && offset - CFA_OFFSET == place->offset;
  else if (location.kind == SYM_LOCATION_MEMORY && is_sum && place->is_reference)
    agrees = place->kind == SYM_ABI_IN_REGISTERS && place->registers[0] == base;
  else if (sym_abi_is_made_of(place, &location))
    agrees = true;
  else
    return SAYS_NOTHING;
  return agrees ? AGREES : DIFFERS;
}

/* How often each judgement falls on the parameters of an instance. */
static void judge_all(const struct sym_location_context *context, struct sym_abi *abi, Dwarf_Die *parent,
                      unsigned counts[4], unsigned depth)
{
  Dwarf_Die child;
  if (depth > DEPTH_MAX || dwarf_child(parent, &child) != 0)
    return;
  do {
    if (dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack)
      judge_all(context, abi, &child, counts, depth + 1);
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      continue;
    struct sym_abi_place *place = sym_abi_place_of(abi, &child);
    enum evidence evidence = judge(context, abi, place, &child);
    counts[evidence]++;
    if (place) {
      place->is_kept = evidence == IS_KEPT;
      place->is_doubtful = evidence == DIFFERS;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

/* Which of the registers that pass parameters of one kind it is: those that follow have greater numbers. */
static unsigned rank(uint8_t reg)
{
  static const uint8_t integers[] = {SYM_RDI, SYM_RSI, SYM_RDX, SYM_RCX, SYM_R8, SYM_R9};
  unsigned i = 0;
  while (i < sizeof integers && integers[i] != reg)
    i++;
  return i < sizeof integers ? i : reg;
}

/* Finds what a function is told to be passed in registers in which it cannot be. Where parameters were taken out, or
 * structures passed in parts, the others are passed in other registers, but in the same order. Of two that are not, one
 * is set to another parameter at once; it is the first where both are told to be in the register of the second. */
static void find_out_of_order(struct sym_abi *abi)
{
  for (unsigned j = 0; j < abi->count; j++) {
    struct sym_abi_place *second = &abi->places[j];
    if (!second->told || second->kind != SYM_ABI_IN_REGISTERS)
      continue;
    const bool is_own = second->told == second->registers[0], is_vector = second->told >= SYM_XMM0;
    for (unsigned i = 0; i < j; i++) {
      struct sym_abi_place *first = &abi->places[i];
      if (!first->told || first->kind != SYM_ABI_IN_REGISTERS || (first->told >= SYM_XMM0) != is_vector ||
          rank(first->told) < rank(second->told))
        continue;
      first->is_out_of_order = true;
      second->is_out_of_order |= !is_own;
    }
  }
}

/* Which registers more than one parameter of a clone is told to be in. gcc tells of those that it took out of a clone
 * of a clone the register that they were in before, where another is now. */
static uint64_t find_shared(const struct sym_location_context *context, Dwarf_Die *instance)
{
  Dwarf_Die child;
  uint64_t seen = 0, shared = 0;
  for (int next = dwarf_child(instance, &child); next == 0; next = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      continue;
    uint64_t its = 0;
    for (int64_t offset = 0; offset <= 8; offset += 8) {
      struct sym_location location;
      sym_locate(context, &child, NULL, offset, 1, &location);
      its |= sym_abi_register_of(&location);
    }
    shared |= seen & its;
    seen |= its;
  }
  return shared;
}

static struct sym_entry_places places_of(const struct sym_abi_place *place)
{
  struct sym_entry_places places = {0, 0};
  if (place->kind == SYM_ABI_ON_STACK)
    places.words = sym_entry_words(place->offset, place->is_reference ? sizeof(uint64_t) : place->size);
  for (unsigned i = 0; place->kind == SYM_ABI_IN_REGISTERS && i < place->word_count; i++)
    places.registers |= UINT64_C(1) << place->registers[i];
  return places;
}

/* Which of its arguments a function of clang's does not read. Where clang does not optimise, what is in memory is
 * passed all the same, and not read: the caller's copy is the parameter. */
static void find_unread(const struct sym_location_context *context, Dwarf_Die *instance,
                        const struct sym_symbol *symbol, struct sym_abi *abi)
{
  const uint64_t end = symbol->size ? symbol->address + symbol->size : UINT64_MAX;
  const bool is_optimised = sym_die_tells_calls(instance);
  struct sym_entry_places asked = {0, 0};
  for (unsigned i = 0; i < abi->count; i++) {
    const struct sym_entry_places places = places_of(&abi->places[i]);
    asked.registers |= places.registers;
    asked.words |= places.words;
  }
  const struct sym_entry_places found = sym_entry_reads(context->hook, symbol->address, end, asked);
  for (unsigned i = 0; i < abi->count; i++) {
    const struct sym_entry_places places = places_of(&abi->places[i]);
    const bool is_read = places.registers & found.registers || places.words & found.words;
    abi->places[i].is_unread = !is_read && (is_optimised || abi->places[i].kind != SYM_ABI_ON_STACK);
    for (unsigned k = 0; abi->places[i].kind == SYM_ABI_IN_REGISTERS && k < abi->places[i].word_count; k++)
      abi->places[i].unread |= (uint8_t)((~found.registers >> abi->places[i].registers[k] & 1) << k);
  }
  abi->is_read = !is_optimised || !(asked.registers & ~found.registers);
}

/* The offset from the stack pointer in the function's body at which the parameter is said to be, where that is all that
 * is said from the function's first instruction on. */
static bool find_home(const struct sym_location_context *context, Dwarf_Die *parameter, int64_t *offset)
{
  Dwarf_Die physical = *context->physical;
  Dwarf_Attribute attribute, base;
  Dwarf_Op *ops, *base_ops;
  size_t count, base_count;
  if (!dwarf_attr(parameter, DW_AT_location, &attribute) || !dwarf_attr_integrate(&physical, DW_AT_frame_base, &base) ||
      dwarf_getlocation(&base, &base_ops, &base_count) != 0 || base_count != 1 ||
      base_ops[0].atom != DW_OP_reg0 + SYM_RSP ||
      sym_location_list_at(&attribute, context->sled_end, &ops, &count, 1) != 1 || count != 1 ||
      (ops[0].atom != DW_OP_fbreg && ops[0].atom != DW_OP_breg0 + SYM_RSP))
    return false;
  *offset = (int64_t)ops[0].number;
  return true;
}

/* Finds the parameters that stay where the caller put them, on the stack: they are there whatever else became of the
 * function's interface. A parameter that was passed in a register, or was not passed, has its home in the frame. */
static void find_homes(const struct sym_location_context *context, Dwarf_Die *instance, const struct sym_symbol *symbol,
                       struct sym_abi *abi)
{
  Dwarf_Die child;
  const uint64_t end = symbol->size ? symbol->address + symbol->size : UINT64_MAX;
  const int64_t depth = sym_entry_depth(context->hook, context->sled_end, end);
  for (int next = depth < 0 ? 1 : dwarf_child(instance, &child); next == 0; next = dwarf_siblingof(&child, &child)) {
    int64_t offset;
    struct sym_abi_place *place = NULL;
    if (dwarf_tag(&child) == DW_TAG_formal_parameter && find_home(context, &child, &offset) && offset >= depth)
      place = sym_abi_place_of(abi, &child);
    if (!place || place->kind != SYM_ABI_ON_STACK || place->is_reference)
      continue;
    place->is_home = true;
    place->offset = offset - depth;
  }
}

/* A part that clang makes of a coroutine is passed the coroutine's frame alone. */
static bool is_of_coroutine(const char *name)
{
  return strstr(name, ".resume") || strstr(name, ".destroy") || strstr(name, ".cleanup");
}

/* Is the function called as its declaration says? */
static bool is_plain(Dwarf_Die *instance, const struct sym_symbol *symbol, bool is_gnu)
{
  const Dwarf_Word convention = sym_die_convention(instance);
  return symbol && !sym_symbol_is_rebuilt(symbol->name) && (is_gnu || !is_of_coroutine(symbol->name)) &&
         (convention == DW_CC_normal || convention == DW_CC_program);
}

bool sym_abi_returns(Dwarf_Die *instance, const struct sym_symbol *symbol, bool is_gnu)
{
  return is_plain(instance, symbol, is_gnu) && (is_gnu || !symbol->is_local);
}

void sym_abi_of(const struct sym_location_context *context, Dwarf_Die *instance, const struct sym_symbol *symbol,
                bool is_gnu, struct sym_abi *abi)
{
  sym_abi_assign(instance, is_gnu, abi);
  abi->may_be_unpassed = !is_gnu;
  if (!is_gnu && symbol && sym_die_is_clang(instance))
    find_homes(context, instance, symbol, abi);
  if (!is_gnu && symbol)
    find_unread(context, instance, symbol, abi);
  unsigned counts[4] = {0};
  struct sym_location_context bare = *context;
  bare.abi = NULL;
  if (!is_plain(instance, symbol, is_gnu)) {
    struct sym_location_context clone = *context;
    clone.abi = abi;
    if (is_gnu)
      abi->shared = find_shared(&clone, instance);
    abi->may_be_unpassed = !sym_die_tracks_arguments(instance);
    abi->is_untold = !sym_die_tracks_entry(instance);
    if (!is_gnu) {
      judge_all(&bare, abi, instance, counts, 0);
      find_out_of_order(abi);
    }
    return;
  }
  judge_all(&bare, abi, instance, counts, 0);
  /* A local function that the optimiser changed would bear the mark, and not be plain. */
  bool is_global = !symbol->is_local || sym_die_marks_changes(instance);
  if (!sym_die_tracks_entry(instance))
    counts[DIFFERS] = 0; /* it is the body's register that differs */
  /* Of clang's local function all that is passed in registers is read, or its interface was changed. */
  abi->tells_kept = counts[DIFFERS] == 0 && (is_gnu || is_global || (counts[SAYS_NOTHING] == 0 && abi->is_read));
  abi->is_certain = is_gnu || is_global;
  if (!abi->is_certain)
    find_out_of_order(abi);
  abi->tells_missing = counts[DIFFERS] == 0 && is_gnu && is_global;
  abi->tells_made = counts[DIFFERS] == 0 && abi->is_certain;
  abi->tells_own = counts[DIFFERS] == 0;
}
