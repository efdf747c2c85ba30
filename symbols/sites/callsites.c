/*
 * Collects what callers tell of the argument registers of the functions that they call.
 */
#include "symbols/sites/callsites.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/siblings.h"
#include "symbols/elf/frame.h"
#include "symbols/sites/call_register.h"
#include "symbols/sites/sites.h"

enum { DEPTH_MAX = 512 };

struct collection {
  struct sym_call_sites *calls;
  const struct sym_debugfile *file;
  const struct sym_hook *hook;
  const struct sym_instances *instances;
  const bool *is_wanted;
  bool *jumps; /* by range: the function may leave by a tail call */
  struct sym_siblings *siblings;
  Dwarf_Addr returned; /* to where the call before does, as far as it is known */
};

static bool is_exit_hook(Dwarf_Die *call)
{
  Dwarf_Die origin;
  const char *name = sym_call_origin(call, &origin) ? dwarf_diename(&origin) : NULL;
  return name && strcmp(name, "__cyg_profile_func_exit") == 0;
}

static bool is_tail_call(Dwarf_Die *call)
{
  return dwarf_hasattr(call, DW_AT_call_tail_call) || dwarf_hasattr(call, DW_AT_GNU_tail_call);
}

/* Whether the compiler promises that it lists every tail call of a subprogram. */
static bool lists_tail_calls(Dwarf_Die *subprogram)
{
  static const unsigned promises[] = {DW_AT_call_all_calls,          DW_AT_call_all_tail_calls,
                                      DW_AT_call_all_source_calls,   DW_AT_GNU_all_call_sites,
                                      DW_AT_GNU_all_tail_call_sites, DW_AT_GNU_all_source_call_sites};
  for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
    if (dwarf_hasattr_integrate(subprogram, promises[i]))
      return true;
  return false;
}

/* The argument register that a call_site_parameter is about, or -1. */
static int parameter_register(Dwarf_Die *parameter)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  if (!dwarf_attr(parameter, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 ||
      count != 1 || ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg15)
    return -1;
  return ops[0].atom - DW_OP_reg0;
}

/* An address in the caller's frame: its frame base is its CFA in all code that has call site parameters. */
static bool frame_value(const struct collection *collection, uint64_t pc, int64_t offset,
                        struct fmt_index_call_value *value)
{
  struct sym_frame frame;
  sym_frame_at(collection->file, pc - 1, &frame);
  if (frame.cfa_kind != FMT_CFA_REGISTER)
    return false;
  if (frame.cfa_register == collection->file->processor->stack_pointer) {
    value->kind = FMT_CALL_FRAME;
  } else if (sym_is_callee_saved(collection->file->processor, frame.cfa_register)) {
    value->kind = FMT_CALL_REGISTER;
    value->source = frame.cfa_register;
  } else {
    return false;
  }
  value->imm = offset + frame.cfa_offset;
  return true;
}

static bool has_cfa_frame_base(Dwarf_Die *subprogram)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  return dwarf_attr_integrate(subprogram, DW_AT_frame_base, &attribute) &&
         dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_call_frame_cfa;
}

/* Whether a register that an argument is told from still holds that at the call. Where it is told as a sum with it, the
 * compiler has taken into account what was added meanwhile. */
static bool is_kept(const struct collection *collection, uint64_t pc, uint8_t reg, const Dwarf_Op *told)
{
  if (told->number != 0)
    return true;
  const uint32_t number = sym_instances_range_at(collection->instances, pc - 1);
  const struct sym_range *caller = number == FMT_NONE ? NULL : base_vector_at(&collection->instances->ranges, number);
  if (!caller)
    return false;
  const bool is_near = collection->returned > caller->low && collection->returned < pc;
  return sym_call_register_holds(collection->hook, is_near ? collection->returned : caller->low, pc, reg,
                                 (uint8_t)(told->atom - DW_OP_breg0));
}

/* A value that does not change between the call and the hook: a constant, an address, or what follows from a register
 * that the callee keeps. */
static bool read_value(const struct collection *collection, Dwarf_Die *subprogram, Dwarf_Die *parameter, uint64_t pc,
                       struct fmt_index_call_value *value)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  if ((!dwarf_attr(parameter, DW_AT_call_value, &attribute) &&
       !dwarf_attr(parameter, DW_AT_GNU_call_site_value, &attribute)) ||
      dwarf_getlocation(&attribute, &ops, &count) != 0)
    return false;
  if (count == 2 && ops[1].atom == DW_OP_stack_value)
    count = 1;
  if (count != 1)
    return false;
  unsigned atom = ops[0].atom;
  if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
    value->imm = (int64_t)(atom - DW_OP_lit0);
  } else if (atom >= DW_OP_const1u && atom <= DW_OP_consts) {
    value->imm = (int64_t)ops[0].number;
  } else if (atom == DW_OP_addr) {
    value->kind = FMT_CALL_ADDRESS;
    value->imm = (int64_t)ops[0].number;
  } else if (atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index) {
    Dwarf_Attribute indirect;
    Dwarf_Addr address;
    if (dwarf_getlocation_attr(&attribute, &ops[0], &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0)
      return false;
    value->kind = FMT_CALL_ADDRESS;
    value->imm = (int64_t)address;
  } else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31 &&
             sym_is_callee_saved(collection->file->processor, atom - DW_OP_breg0) &&
             is_kept(collection, pc, value->reg, &ops[0])) {
    value->kind = FMT_CALL_REGISTER;
    value->source = (uint8_t)(atom - DW_OP_breg0);
    value->imm = (int64_t)ops[0].number;
  } else if (atom == DW_OP_fbreg && has_cfa_frame_base(subprogram)) {
    return frame_value(collection, pc, (int64_t)ops[0].number, value);
  } else {
    return false;
  }
  return true;
}

static bool return_pc(Dwarf_Die *call, Dwarf_Addr *pc)
{
  Dwarf_Attribute attribute;
  return (dwarf_attr(call, DW_AT_call_return_pc, &attribute) || dwarf_attr(call, DW_AT_low_pc, &attribute)) &&
         dwarf_formaddr(&attribute, pc) == 0 && *pc > 1;
}

static int add_call(const struct collection *collection, Dwarf_Die *subprogram, Dwarf_Die *call)
{
  Dwarf_Addr pc;
  Dwarf_Die child;
  if (!return_pc(call, &pc) || dwarf_child(call, &child) != 0)
    return 0;
  uint64_t target = sym_call_target(collection->hook, pc);
  uint32_t range = target ? sym_instances_range_at(collection->instances, target) : FMT_NONE;
  if (range == FMT_NONE || !collection->is_wanted[range])
    return 0;
  const struct sym_range *callee = base_vector_at(&collection->instances->ranges, range);
  if (callee->low != target)
    return 0;
  uint32_t first = collection->calls->values.count;
  do {
    int tag = dwarf_tag(&child);
    int reg =
        tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter ? parameter_register(&child) : -1;
    struct fmt_index_call_value value = {.kind = FMT_CALL_CONST, .reg = (uint8_t)reg};
    if (reg < 0 || !read_value(collection, subprogram, &child, pc, &value))
      continue;
    struct fmt_index_call_value *added = base_vector_add(&collection->calls->values, 1);
    if (!added)
      return -ENOMEM;
    *added = value;
  } while (dwarf_siblingof(&child, &child) == 0);
  if (collection->calls->values.count == first)
    return 0;
  struct fmt_index_call_site *site = base_vector_add(&collection->calls->sites, 1);
  if (!site)
    return -ENOMEM;
  *site = (struct fmt_index_call_site){
      .pc = pc, .physical = range, .first_value = first, .value_count = collection->calls->values.count - first};
  return 0;
}

static int visit(struct collection *collection, uint32_t range, Dwarf_Die *subprogram, Dwarf_Die *die, unsigned depth)
{
  Dwarf_Die child;
  int error = 0;
  if (depth > DEPTH_MAX || dwarf_child(die, &child) != 0)
    return 0;
  do {
    switch (dwarf_tag(&child)) {
    case DW_TAG_call_site:
    case DW_TAG_GNU_call_site:
      if (is_tail_call(&child))
        collection->jumps[range] |= !is_exit_hook(&child);
      else
        error = add_call(collection, subprogram, &child);
      return_pc(&child, &collection->returned);
      if (!error)
        error = sym_clone_calls_add(&collection->calls->clones, &child, subprogram);
      break;
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      error = visit(collection, range, subprogram, &child, depth + 1);
      break;
    default:
      break;
    }
  } while (!error && sym_siblings_next(collection->siblings, &child, &child) == 0);
  return error;
}

static int compare(const void *a, const void *b)
{
  const struct fmt_index_call_site *left = a, *right = b;
  return (left->pc > right->pc) - (left->pc < right->pc);
}

/* Leaves out the calls of functions that jump, and all but the first of one pc. */
static void settle(const struct collection *collection)
{
  struct base_vector *sites = &collection->calls->sites;
  struct fmt_index_call_site *all = sites->data;
  uint32_t kept = 0;
  if (sites->count)
    qsort(all, sites->count, sizeof *all, compare);
  for (uint32_t i = 0; i < sites->count; i++)
    if (!collection->jumps[all[i].physical] && (kept == 0 || all[kept - 1].pc != all[i].pc))
      all[kept++] = all[i];
  sites->count = kept;
  for (uint32_t i = 0; i < kept; i++)
    for (uint32_t k = 0; k < all[i].value_count; k++) {
      const struct fmt_index_call_value *value = base_vector_at(&collection->calls->values, all[i].first_value + k);
      collection->calls->told[all[i].physical] |= (uint16_t)(1u << value->reg);
    }
}

int sym_call_sites_find(struct sym_call_sites *calls, const struct sym_debugfile *file, const struct sym_hook *hook,
                        const struct sym_instances *instances, const bool *is_wanted)
{
  uint32_t count = instances->ranges.count;
  *calls = (struct sym_call_sites){.sites = BASE_VECTOR_OF(struct fmt_index_call_site),
                                   .values = BASE_VECTOR_OF(struct fmt_index_call_value),
                                   .told = calloc(count + 1, sizeof *calls->told)};
  sym_clone_calls_begin(&calls->clones);
  struct sym_siblings siblings = {0};
  struct collection collection = {.calls = calls,
                                  .file = file,
                                  .hook = hook,
                                  .instances = instances,
                                  .is_wanted = is_wanted,
                                  .jumps = calloc(count + 1, sizeof *collection.jumps),
                                  .siblings = &siblings};
  int error = calls->told && collection.jumps ? 0 : -ENOMEM;
  for (uint32_t i = 0; !error && i < count; i++) {
    const struct sym_range *range = base_vector_at(&instances->ranges, i);
    /* A subprogram in several ranges is visited once, by way of the one it is entered at. */
    if (range->low != range->entry)
      continue;
    Dwarf_Die die = range->die;
    collection.jumps[i] = !lists_tail_calls(&die);
    error = visit(&collection, i, &die, &die, 0);
  }
  if (!error)
    settle(&collection);
  sym_clone_calls_settle(&calls->clones);
  free(collection.jumps);
  sym_siblings_free(&siblings);
  return error;
}

int sym_call_sites_keep(struct sym_call_sites *calls, const uint16_t *asked)
{
  struct base_vector sites = BASE_VECTOR_OF(struct fmt_index_call_site),
                     values = BASE_VECTOR_OF(struct fmt_index_call_value);
  int error = 0;
  for (uint32_t i = 0; !error && i < calls->sites.count; i++) {
    struct fmt_index_call_site site = *(const struct fmt_index_call_site *)base_vector_at(&calls->sites, i);
    uint32_t first = values.count;
    for (uint32_t k = 0; !error && k < site.value_count; k++) {
      const struct fmt_index_call_value *value = base_vector_at(&calls->values, site.first_value + k);
      if (!(asked[site.physical] >> value->reg & 1))
        continue;
      struct fmt_index_call_value *kept = base_vector_add(&values, 1);
      if (kept)
        *kept = *value;
      error = kept ? 0 : -ENOMEM;
    }
    if (error || values.count == first)
      continue;
    site.first_value = first;
    site.value_count = values.count - first;
    struct fmt_index_call_site *kept = base_vector_add(&sites, 1);
    if (kept)
      *kept = site;
    error = kept ? 0 : -ENOMEM;
  }
  base_vector_free(&calls->sites);
  base_vector_free(&calls->values);
  calls->sites = sites;
  calls->values = values;
  return error;
}

void sym_call_sites_free(struct sym_call_sites *calls)
{
  base_vector_free(&calls->sites);
  base_vector_free(&calls->values);
  sym_clone_calls_free(&calls->clones);
  free(calls->told);
  calls->told = NULL;
}
