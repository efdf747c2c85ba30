/*
 * Compiles the imported functions of a module: each slot of one becomes a site.
 *
 * Where the arguments are follows from the ABI, and what they are from a declaration in the module's own units. A
 * function that none of them declares has its name alone.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/asked.h"
#include "symbols/dwarf/die.h"
#include "symbols/dwarf/prototypes.h"
#include "symbols/index/build_state.h"
#include "symbols/index/lower.h"
#include "symbols/location/abi.h"
#include "symbols/sites/imports.h"

static int compare_prototypes(const void *a, const void *b)
{
  return strcmp(((const struct sym_prototype *)a)->symbol, ((const struct sym_prototype *)b)->symbol);
}

/* Where each argument lies when the function is called. */
static int compile(struct sym_build *build, Dwarf_Die *die, const struct sym_plan *plan, const struct sym_frame *frame,
                   struct fmt_index_site *site)
{
  struct sym_abi abi;
  sym_abi_assign(die, sym_die_is_gnu(die), &abi);
  abi.is_certain = abi.tells_missing = true;
  const struct sym_location_context context = {.pc = site->pc,
                                               .call = site->pc,
                                               .sled_end = site->pc + 1,
                                               .abi = &abi,
                                               .frame = frame,
                                               .physical = die,
                                               .hook = &build->hook,
                                               .spills = &build->spills};
  uint8_t *states = calloc(2, plan->arg_count + 1u);
  int error = states ? sym_lower(&context, plan, die, &build->ops, states, states + plan->arg_count + 1) : -ENOMEM;
  if (!error)
    error = sym_build_settle_site(build, site, plan, states);
  free(states);
  return error;
}

/* Is everything that the function is given in registers, by a declaration that tells all of it? */
static bool passes_registers_alone(Dwarf_Die *die, const struct sym_plan *plan)
{
  struct sym_abi abi;
  sym_abi_assign(die, sym_die_is_gnu(die), &abi);
  bool all = abi.count == plan->parameter_count && !(plan->flags & FMT_FUNCTION_VARIADIC);
  for (unsigned i = 0; i < abi.count; i++)
    all = all && abi.places[i].kind == SYM_ABI_IN_REGISTERS;
  return all;
}

/* May a frame lie between the caller and the function? */
static bool may_be_timed(const struct sym_import *import, Dwarf_Die *die, const struct sym_plan *plan)
{
  Dwarf_Attribute attribute;
  /* Of these, what they are given is known without. */
  if (fmt_asking_of(import->name) != FMT_ASKING_NOTHING)
    return true;
  return die && !dwarf_attr(die, DW_AT_noreturn, &attribute) &&
         !dwarf_attr(die, DW_AT_calling_convention, &attribute) && passes_registers_alone(die, plan) &&
         sym_import_returns_plainly(import->name);
}

static int add_import(struct sym_build *build, const struct sym_import *import, struct sym_prototype *prototype)
{
  struct sym_frame frame;
  sym_frame_at_entry(build->file.processor, &frame);
  struct fmt_index_site site = {.pc = import->slot,
                                .physical = FMT_NONE,
                                .first_op = build->ops.count,
                                .first_state = build->states.count,
                                .cfa_kind = frame.cfa_kind,
                                .cfa_register = frame.cfa_register,
                                .cfa_offset = frame.cfa_offset,
                                .first_saved = build->saved.count};
  const struct sym_plan *plan = NULL;
  Dwarf_Die *die = prototype->is_known ? &prototype->die : NULL;
  int error = die ? sym_planner_function(build->planner, die, &plan) : 0;
  const bool is_timed = !error && may_be_timed(import, die, plan);
  if (!error)
    error = sym_functions_add_import(&build->functions, import, die, plan, is_timed, &site.function);
  if (!error) {
    const struct sym_function_entry *entry = base_vector_at(&build->functions.entries, site.function);
    site.line = entry->function.line;
    site.flags = (uint16_t)(FMT_SITE_LIBRARY | (is_timed ? FMT_SITE_LIBRARY_TIMED : 0) |
                            (import->is_read ? FMT_SITE_LIBRARY_READ : 0) | (die ? 0 : FMT_SITE_SIMPLE) |
                            (is_timed && plan && plan->has_return ? FMT_SITE_RETURNS : 0));
    error = die ? compile(build, die, plan, &frame, &site) : 0;
  }
  struct fmt_index_site *added = error ? NULL : base_vector_add(&build->sites, 1);
  if (added)
    *added = site;
  return error ? error : added ? 0 : -ENOMEM;
}

static int compare_sites(const void *a, const void *b)
{
  uint64_t left = ((const struct fmt_index_site *)a)->pc, right = ((const struct fmt_index_site *)b)->pc;
  return (left > right) - (left < right);
}

int sym_build_add_imports(struct sym_build *build)
{
  struct base_vector imports;
  int error = sym_imports_find(&build->hook, &imports);
  struct sym_prototype *prototypes = error ? NULL : calloc(imports.count + 1, sizeof *prototypes);
  if (!error && !prototypes)
    error = -ENOMEM;
  for (uint32_t i = 0; !error && i < imports.count; i++)
    prototypes[i].symbol = ((const struct sym_import *)base_vector_at(&imports, i))->name;
  if (!error) {
    qsort(prototypes, imports.count, sizeof *prototypes, compare_prototypes);
    sym_prototypes_find(build->file.dwarf, prototypes, imports.count);
  }
  for (uint32_t i = 0; !error && i < imports.count; i++) {
    const struct sym_import *import = base_vector_at(&imports, i);
    const struct sym_prototype key = {.symbol = import->name};
    error = add_import(build, import, bsearch(&key, prototypes, imports.count, sizeof *prototypes, compare_prototypes));
  }
  /* Slots lie among the code's addresses wherever the linker has put them. */
  if (!error && build->sites.count)
    qsort(build->sites.data, build->sites.count, sizeof(struct fmt_index_site), compare_sites);
  free(prototypes);
  base_vector_free(&imports);
  return error;
}
