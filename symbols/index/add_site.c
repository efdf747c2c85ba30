/*
 * Compiles one site of a module: its function, its frame, its capture program.
 */
#include "symbols/index/build_state.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "symbols/dwarf/die.h"
#include "symbols/index/lower.h"
#include "symbols/index/sled_facts.h"
#include "symbols/location/abi.h"
#include "symbols/location/abi_evidence.h"
#include "symbols/location/passed_location.h"

/* The initial states of a site's args, four bits each; identical sequences are not shared, since they are short. */
static int add_states(struct sym_build *build, struct fmt_index_site *site, const uint8_t *states, uint32_t arg_count)
{
  uint32_t words = (arg_count + 15) / 16;
  site->first_state = build->states.count;
  uint64_t *added = base_vector_add(&build->states, words);
  if (!added)
    return -ENOMEM;
  for (uint32_t i = 0; i < arg_count; i++)
    added[i / 16] |= (uint64_t)states[i] << (i % 16 * 4);
  return 0;
}

/* Whether every op only reads a register that nothing can have destroyed, or is a constant. */
static bool is_simple(const struct fmt_op *ops, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (ops[i].code > FMT_OP_EMIT_CONST || (ops[i].flags & FMT_OPF_VOLATILE))
      return false;
  return true;
}

int sym_build_settle_site(struct sym_build *build, struct fmt_index_site *site, const struct sym_plan *plan,
                          const uint8_t *states)
{
  if (build->spills.error == -ENOMEM)
    return -ENOMEM;
  site->op_count = (uint16_t)(build->ops.count - site->first_op);
  if (!site->op_count || is_simple(base_vector_at(&build->ops, site->first_op), site->op_count))
    site->flags |= FMT_SITE_SIMPLE;
  return add_states(build, site, states, plan->arg_count);
}

/* Notes the registers whose entry values the site asks for, and where its frame keeps its caller's registers. */
static int add_entry_values(struct sym_build *build, struct fmt_index_site *site, const struct sym_frame *frame)
{
  uint16_t asked = 0;
  for (uint32_t i = 0; i < site->op_count; i++) {
    const struct fmt_op *op = base_vector_at(&build->ops, site->first_op + i);
    if (op->code == FMT_OP_ENTRY)
      asked |= (uint16_t)(1u << op->reg);
  }
  if (!asked || site->physical == FMT_NONE)
    return 0;
  build->asked[site->physical] |= asked;
  site->first_saved = build->saved.count;
  const struct sym_processor *processor = build->file.processor;
  for (unsigned reg = 0; reg < processor->register_count; reg++) {
    if ((!sym_is_callee_saved(processor, reg) && reg != processor->link) || frame->saved[reg].where != SYM_SAVED_MEMORY)
      continue;
    struct fmt_index_saved *saved = base_vector_add(&build->saved, 1);
    if (!saved)
      return -ENOMEM;
    *saved = (struct fmt_index_saved){.cfa_offset = frame->saved[reg].offset, .reg = (uint8_t)reg};
    site->saved_count++;
  }
  return 0;
}

static int report_site(struct sym_build *build, const struct fmt_index_site *site, const struct sym_plan *plan,
                       const uint8_t *lost)
{
  if (!build->report)
    return 0;
  const struct sym_function_entry *entry = base_vector_at(&build->functions.entries, site->function);
  const struct sym_report_site told = {
      .pc = site->pc,
      .processor = build->file.processor,
      .is_sled = (site->flags & FMT_SITE_SLED) != 0,
      .inlined = (site->flags & FMT_SITE_INLINED) != 0,
      .returns = (site->flags & FMT_SITE_RETURNS) != 0,
      .function = site->function,
      .file = base_strings_at(build->strings, entry->function.file),
      .line = entry->function.line,
      .site_line = site->line,
      .plan = plan,
      .ops = build->ops.count > site->first_op ? base_vector_at(&build->ops, site->first_op) : NULL,
      .op_count = site->op_count,
      .lost = lost};
  return sym_report_add(build->report, &told);
}

static uint64_t entry_of(const struct sym_build *build, uint32_t range)
{
  return range == FMT_NONE ? 0 : ((const struct sym_range *)base_vector_at(&build->instances.ranges, range))->entry;
}

/* The capture program of a site whose function is known from DWARF. */
static int compile_site(struct sym_build *build, const struct sym_found_site *found,
                        const struct sym_instance *instance, const struct sym_plan *plan, const struct sym_frame *frame,
                        struct fmt_index_site *site)
{
  /* clang puts the hook's call before everything else that it makes of a function, the stores of parameters into their
   * slots included; gcc puts it after those. */
  Dwarf_Die compiled = instance->physical;
  bool is_gnu = sym_die_is_gnu(&compiled);
  struct sym_location_context context = {.pc = found->pc,
                                         .call = found->call,
                                         .entry = entry_of(build, site->physical),
                                         .sled_end = found->sled_end,
                                         .is_inlined = instance->entered.addr != instance->physical.addr,
                                         .is_lazy = found->is_lazy,
                                         .frame = frame,
                                         .physical = &instance->physical,
                                         .entered = &instance->entered,
                                         .told = site->physical == FMT_NONE ? 0 : build->calls.told[site->physical],
                                         .clone_calls = &build->calls.clones,
                                         .hook = &build->hook,
                                         .spills = &build->spills,
                                         .kept = &build->kept,
                                         .writes_after_call = !sym_is_sled(found) && !is_gnu};
  uint8_t *states = calloc(2, plan->arg_count + 1u), *lost = states ? states + plan->arg_count + 1 : NULL;
  Dwarf_Die entered = instance->entered;
  struct sym_abi abi;
  const uint32_t copy = sym_instances_range_at(&build->instances, instance->this_function);
  const struct sym_range *whole = copy == FMT_NONE ? NULL : base_vector_at(&build->instances.ranges, copy);
  if (whole && whole->entry == instance->this_function) {
    context.whole = &whole->die;
    context.whole_entry = whole->entry;
  }
  const struct sym_symbol *symbol =
      sym_symbol_table_exact(&build->symbol_table, sym_is_sled(found) ? found->function : context.entry);
  context.is_clone = is_gnu && (!symbol || sym_symbol_is_rebuilt(symbol->name));
  context.is_specialised = context.is_clone && (!symbol || sym_symbol_is_specialised(symbol->name));
  if (context.writes_after_call && !context.is_inlined && context.entry) {
    struct sym_frame at_entry;
    const struct sym_location_context entered_at = sym_context_at_entry(&context, &at_entry);
    sym_abi_of(&entered_at, &entered, symbol, is_gnu, &abi);
    context.abi = &abi;
  }
  if (sym_is_sled(found)) {
    sym_abi_of(&context, &entered, symbol, is_gnu, &abi);
    context.abi = &abi;
    if (plan->has_return && sym_abi_returns(&entered, symbol, is_gnu))
      site->flags |= FMT_SITE_RETURNS;
    sym_sleds_add_flags(&build->sleds, found->call,
                        sym_sled_facts(&build->hook, &build->sleds, &compiled, symbol, &abi));
  }
  int error =
      states ? sym_lower(&context, plan, instance->is_hidden ? NULL : &entered, &build->ops, states, lost) : -ENOMEM;
  if (!error)
    error = sym_build_settle_site(build, site, plan, states);
  if (!error)
    error = add_entry_values(build, site, frame);
  if (!error)
    error = report_site(build, site, plan, lost);
  free(states);
  return error;
}

/* Without DWARF: the function whose address the code passes to the hook, else the symbol that holds the site. */
static int name_site(struct sym_build *build, const struct sym_found_site *found, const struct sym_instance *instance,
                     struct fmt_index_site *site)
{
  const struct sym_symbol *symbol = sym_symbol_table_exact(&build->symbol_table, instance->this_function);
  const struct sym_symbol *holding = sym_symbol_table_holding(&build->symbol_table, found->call);
  if (symbol && holding && symbol != holding)
    site->flags |= FMT_SITE_INLINED;
  if (!symbol && !instance->this_function)
    symbol = holding;
  site->flags |= FMT_SITE_SIMPLE;
  int error = sym_functions_add_symbol(&build->functions, symbol,
                                       instance->this_function ? instance->this_function : found->pc, &site->function);
  return error ? error : report_site(build, site, NULL, NULL);
}

/* Marks a function of which calls are counted both where it begins and in a part that was split off. Hooks that were
 * there before inlining are not in the part. */
static void note_part(const struct sym_build *build, const struct sym_found_site *found,
                      struct sym_function_entry *entry)
{
  const struct sym_symbol *holding = sym_symbol_table_holding(&build->symbol_table, found->call);
  const bool is_part = holding && sym_symbol_is_part(holding->name);
  entry->counts_part |= is_part;
  entry->counts_whole |= !is_part;
  if (entry->counts_part && entry->counts_whole)
    entry->function.flags |= FMT_FUNCTION_SPLIT;
}

int sym_build_add_site(struct sym_build *build, uint32_t index)
{
  const struct sym_found_site *found = base_vector_at(&build->found, index);
  const struct sym_instance *instance = base_vector_at(&build->instances.instances, index);
  struct sym_frame frame;
  if (sym_is_sled(found))
    sym_frame_at_entry(build->file.processor, &frame);
  else
    sym_frame_at(&build->file, found->pc - 1, &frame);
  struct fmt_index_site site = {.pc = found->pc,
                                .physical = sym_instances_range_at(&build->instances, found->call),
                                .first_op = build->ops.count,
                                .flags = sym_is_sled(found) ? FMT_SITE_SLED : 0,
                                .first_state = build->states.count,
                                .cfa_kind = frame.cfa_kind,
                                .cfa_register = frame.cfa_register,
                                .cfa_offset = frame.cfa_offset,
                                .first_saved = build->saved.count};
  int error;
  if (instance->is_known) {
    const struct sym_plan *plan;
    Dwarf_Die entered = instance->entered;
    if (instance->is_inlined)
      site.flags |= FMT_SITE_INLINED;
    error = sym_planner_function(build->planner, &entered, &plan);
    if (!error)
      error = sym_functions_add(&build->functions, &entered, plan, &site.function);
    if (!error) {
      struct sym_function_entry *entry = base_vector_at(&build->functions.entries, site.function);
      if (site.physical == FMT_NONE && !instance->is_inlined)
        entry->function.address = instance->this_function;
      if (!instance->is_inlined)
        note_part(build, found, entry);
      site.line = instance->is_inlined && instance->call_line ? instance->call_line : entry->function.line;
      error = compile_site(build, found, instance, plan, &frame, &site);
    }
  } else {
    error = name_site(build, found, instance, &site);
  }
  struct fmt_index_site *added = error ? NULL : base_vector_add(&build->sites, 1);
  if (added)
    *added = site;
  return error ? error : added ? 0 : -ENOMEM;
}
