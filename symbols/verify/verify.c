/*
 * Reads the DWARF of a module a second time, and tells where the index disagrees.
 */
#include "symbols/verify/verify.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "format/open.h"
#include "format/sled.h"
#include "symbols/verify/callers.h"
#include "symbols/verify/code.h"
#include "symbols/verify/compare.h"
#include "symbols/verify/die.h"
#include "symbols/verify/entries.h"
#include "symbols/verify/evaluate.h"
#include "symbols/verify/functions.h"
#include "symbols/verify/machine.h"
#include "symbols/verify/module.h"
#include "symbols/verify/run.h"
#include "symbols/verify/types.h"

enum {
  MACHINES = 3,
  PARAMETERS_MAX = 255,
};

/* One comparison of an index with the DWARF of its module. */
struct verify {
  struct vf_module module;
  struct vf_functions functions;
  const struct fmt_index *index;
  struct vf_code code;
  struct vf_entries entries;
  struct vf_machine machines[MACHINES];
  uint64_t sites, parameters, agreed, disagreed;
  uint64_t by_rule, by_type, by_code, may_be_set, by_argument, beyond, loaded, unknown, without_dwarf, without_unit,
      call_values;
};

/* Begins the line of a disagreement. */
static FILE *disagree(struct verify *verify, const struct fmt_index_site *site)
{
  const struct fmt_index_function *function = &verify->index->functions[site->function];
  verify->disagreed++;
  base_print(verify->module.out, "%s: site %#" PRIx64 ", %s: ", verify->module.path, site->pc,
             fmt_index_string(verify->index, function->name));
  return verify->module.out;
}

static uint8_t default_kind(const struct vf_type *type)
{
  switch (type->kind) {
  case FMT_TYPE_SIGNED:
  case FMT_TYPE_UNSIGNED:
  case FMT_TYPE_CHAR:
  case FMT_TYPE_BOOL:
  case FMT_TYPE_ENUM:
  case FMT_TYPE_FLAGS:
    return type->size >= 1 && type->size <= 8 ? FMT_ARG_VALUE : FMT_ARG_TYPE;
  case FMT_TYPE_FUNCTION_POINTER:
    return FMT_ARG_VALUE;
  case FMT_TYPE_POINTER:
    return FMT_ARG_NULLNESS;
  default:
    return FMT_ARG_TYPE;
  }
}

/* The arg that stands for the whole of parameter `ordinal`, or NULL. */
static const struct fmt_index_arg *find_arg(const struct verify *verify, const struct fmt_index_function *function,
                                            uint16_t ordinal, uint16_t *place)
{
  for (uint16_t i = 0; i < function->arg_count; i++) {
    const struct fmt_index_arg *arg = &verify->index->args[function->first_arg + i];
    if (arg->parameter != ordinal)
      continue;
    *place = i;
    return arg;
  }
  return NULL;
}

/* A length rule gives a pointer the type of an array, a type rule gives a struct another name. */
static bool is_retyped(const struct verify *verify, const struct fmt_index_arg *arg, const struct vf_type *type)
{
  return arg->kind == FMT_ARG_GROUP ||
         (type->kind == FMT_TYPE_POINTER && verify->index->types[arg->type].kind == FMT_TYPE_ARRAY);
}

/* Holds the declared names and types of a function against the index, once for each function. False: it is another
 * function. */
static bool check_declaration(struct verify *verify, const struct fmt_index_site *site, struct vf_function *function)
{
  if (function->checked_as == site->function)
    return true;
  const struct fmt_index_function *indexed = &verify->index->functions[site->function];
  const char *name = fmt_index_string(verify->index, indexed->name);
  if (strcmp(name, function->name) != 0) {
    base_print(disagree(verify, site), "libdwarf finds %s here\n", function->name);
    return false;
  }
  function->checked_as = site->function;
  if (function->is_variadic != ((indexed->flags & FMT_FUNCTION_VARIADIC) != 0))
    base_print(disagree(verify, site), "only one reader sees '...'\n");
  for (uint16_t i = 0; i < function->parameter_count; i++) {
    const struct vf_parameter *parameter = &function->parameters[i];
    uint16_t place;
    const struct fmt_index_arg *arg = find_arg(verify, indexed, i, &place);
    if (parameter->is_hidden)
      continue;
    if (!arg) {
      base_print(disagree(verify, site), "the index does not have parameter %s\n", parameter->name);
      continue;
    }
    if (strcmp(fmt_index_string(verify->index, arg->name), parameter->name) != 0)
      base_print(disagree(verify, site), "parameter %u is '%s', libdwarf reads '%s'\n", i,
                 fmt_index_string(verify->index, arg->name), parameter->name);
    const char *difference = is_retyped(verify, arg, parameter->type)
                                 ? NULL
                                 : vf_type_difference(&verify->module, parameter->type, verify->index, arg->type);
    if (difference)
      base_print(disagree(verify, site), "parameter %s: %s\n", parameter->name, difference);
  }
  return true;
}

static const char *const outcome_texts[] = {
    [VF_DIFFER] = "the two readers find different values",
    [VF_ONLY_INDEX] = "only the index reads it",
    [VF_ONLY_SECOND] = "only libdwarf reads it",
    [VF_NO_VALUE] = "the capture program does not end in a value",
};

static void check_parameter(struct verify *verify, struct vf_place *place, const struct fmt_index_site *site,
                            const struct vf_parameter *parameter, Dwarf_Die die, const struct fmt_index_arg *arg,
                            uint16_t arg_place)
{
  verify->parameters++;
  bool is_bucket = arg->kind == FMT_ARG_BUCKET_LOG2 || arg->kind == FMT_ARG_BUCKET_RANGE;
  if (arg->kind != default_kind(parameter->type) && !is_bucket) {
    verify->by_rule++;
    return;
  }
  if (arg->kind == FMT_ARG_TYPE) {
    verify->by_type++;
    return;
  }
  const struct vf_subject subject = {
      .index = verify->index,
      .code = &verify->code,
      .site = site,
      .parameter = parameter,
      .die = die,
      .arg = arg_place,
      .is_nullness = arg->kind == FMT_ARG_NULLNESS,
  };
  enum vf_outcome outcome = VF_AGREE;
  for (int i = 0; i < MACHINES && outcome <= VF_AGREE_LOADED; i++) {
    place->machine = &verify->machines[i];
    if (!vf_callers_decide(&subject, place, &outcome))
      outcome = place->sled_end ? vf_compare_sled(&subject, place) : vf_compare(&subject, place);
  }
  verify->loaded += outcome == VF_AGREE_LOADED;
  if (outcome <= VF_AGREE_LOADED)
    verify->agreed++;
  else if (outcome == VF_NOT_COMPARED)
    verify->unknown++;
  else if (outcome == VF_BEYOND)
    verify->beyond++;
  else if (outcome == VF_BY_CODE)
    verify->by_code++;
  else if (outcome == VF_MAY_BE_SET)
    verify->may_be_set++;
  else
    base_print(disagree(verify, site), "parameter %s: %s\n", parameter->name, outcome_texts[outcome]);
}

/* The rule for the canonical frame address: frames are told apart by it, so both readers must find the same one. */
static void check_frame(struct verify *verify, struct vf_place *place, const struct fmt_index_site *site)
{
  for (int i = 0; i < MACHINES; i++) {
    uint64_t mine = 0, indexed = 0;
    place->machine = &verify->machines[i];
    bool has_mine = vf_frame_cfa(place, &mine);
    bool has_indexed = vf_site_cfa(place->machine, site, &indexed);
    if (has_indexed && (!has_mine || mine != indexed)) {
      base_print(disagree(verify, site), "the canonical frame address differs\n");
      return;
    }
  }
}

/* The out-of-line function that a scope's code is in; NULL: none is told. */
static const struct vf_scope *outermost_of(const struct vf_module *module, const struct vf_scope *scope)
{
  while (scope->outer >= 0)
    scope = &module->scopes[scope->outer];
  return scope->is_inlined ? NULL : scope;
}

static Dwarf_Die physical_of(const struct vf_module *module, const struct vf_scope *scope)
{
  const struct vf_scope *outermost = outermost_of(module, scope);
  return outermost ? outermost->die : NULL;
}

/* Where the function is entered that the hook is called in: of its parts, the first one's beginning. 0: not known. */
static uint64_t entry_of(const struct vf_module *module, const struct vf_scope *scope, uint64_t call)
{
  const struct vf_scope *outermost = outermost_of(module, scope);
  uint64_t low, high;
  return outermost && vf_scope_range(module, outermost, call, &low, &high) ? low : 0;
}

/* The scope that a site's parameters are to be found in: DWARF's innermost one there, or, when the hook's first
 * argument names another function, that one's out-of-line scope: one of the name that the index gives, or another
 * overload of the innermost one's. NULL when memory is short. */
static struct vf_scope *entered_scope(struct verify *verify, const struct fmt_index_site *site,
                                      struct vf_scope *innermost)
{
  struct vf_module *module = &verify->module;
  const struct vf_function *function = vf_function_of(module, &verify->functions, innermost);
  const struct vf_scope *outermost = innermost;
  struct vf_entered entered = {
      .name = fmt_index_string(verify->index, verify->index->functions[site->function].name),
      .call = vf_call_before(&verify->code, site->pc),
  };
  if (!function || vf_entries_list(&verify->entries, module, &verify->functions) < 0)
    return NULL;
  while (outermost->outer >= 0)
    outermost = &module->scopes[outermost->outer];
  if (!vf_scope_range(module, outermost, site->pc - 1, &entered.low, &entered.high))
    return innermost;
  if (strcmp(function->name, entered.name) == 0)
    entered.innermost = function;
  struct vf_scope *other = vf_entries_other(&verify->entries, &verify->code, &entered);
  return other ? other : innermost;
}

/* Whether two scopes are instances of the same function. */
static bool same_function(struct verify *verify, const struct vf_scope *a, const struct vf_scope *b)
{
  struct vf_function *first = vf_function_of(&verify->module, &verify->functions, a);
  return first && first == vf_function_of(&verify->module, &verify->functions, b);
}

/* Whether the hook's argument is a symbol of the indexed function's name: of one that has no debug information at all,
 * as clang's intrinsics. */
static bool is_symbol_without_dwarf(struct verify *verify, const struct fmt_index_site *site,
                                    const struct vf_scope *innermost)
{
  const struct fmt_index *index = verify->index;
  const struct fmt_index_function *indexed = &index->functions[site->function];
  const struct vf_scope *outermost = innermost;
  uint64_t low, high;
  while (outermost->outer >= 0)
    outermost = &verify->module.scopes[outermost->outer];
  if (!(indexed->flags & FMT_FUNCTION_NO_DWARF) ||
      !vf_scope_range(&verify->module, outermost, site->pc - 1, &low, &high))
    return false;
  uint64_t call = vf_call_before(&verify->code, site->pc);
  const char *name = fmt_index_string(index, indexed->name);
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SYMBOLS]; i++)
    if (strcmp(fmt_index_string(index, index->symbols[i].name), name) == 0 &&
        vf_argument_is(&verify->code, low, high, call, index->symbols[i].address))
      return true;
  return false;
}

static int check_entered(struct verify *verify, const struct fmt_index_site *site, struct vf_scope *scope,
                         const struct vf_scope *innermost)
{
  const struct fmt_index_function *indexed = &verify->index->functions[site->function];
  struct vf_function *function = vf_function_of(&verify->module, &verify->functions, scope);
  if (!function)
    return -ENOMEM;
  if (indexed->flags & FMT_FUNCTION_NO_DWARF) {
    if (function->parameter_count == 0 && !vf_has(function->root, DW_AT_prototyped))
      verify->without_dwarf++; /* what gcc's -g1 tells of */
    else
      base_print(disagree(verify, site), "libdwarf finds %s here\n", function->name);
    return 0;
  }
  if (!check_declaration(verify, site, function))
    return 0;
  Dwarf_Die dies[PARAMETERS_MAX];
  vf_instance_parameters(scope, function, dies);
  struct vf_place place = {.module = &verify->module,
                           .object = scope->object,
                           .physical = physical_of(&verify->module, innermost),
                           .entered = scope->die,
                           .entry = entry_of(&verify->module, innermost, site->pc - 1),
                           .pc = site->pc,
                           .call = vf_call_before(&verify->code, site->pc)};
  if (site->flags & FMT_SITE_SLED) {
    place.call = site->pc - FMT_SLED_CALL;
    place.sled_end = place.call + fmt_sled_size(fmt_index_sled_from(verify->index, place.call)->shape);
  }
  check_frame(verify, &place, site);
  for (uint16_t i = 0; i < function->parameter_count; i++) {
    uint16_t arg_place = 0;
    const struct fmt_index_arg *arg = find_arg(verify, indexed, i, &arg_place);
    if (arg && !function->parameters[i].is_hidden)
      check_parameter(verify, &place, site, &function->parameters[i], dies[i], arg, arg_place);
  }
  return 0;
}

static int check_site(struct verify *verify, const struct fmt_index_site *site)
{
  const struct fmt_index_function *indexed = &verify->index->functions[site->function];
  struct vf_scope *innermost = vf_scope_at(&verify->module, site->pc - 1);
  verify->sites++;
  if (!innermost) {
    /* Of a function that is defined here and has no code in the debug information, the index names no range. */
    const bool is_bare = site->physical == FMT_NONE && !(site->flags & FMT_SITE_INLINED);
    const bool is_without = is_bare || indexed->flags & FMT_FUNCTION_NO_DWARF;
    verify->without_dwarf += is_without;
    if (is_without)
      return 0;
    if (verify->module.unreadable_units)
      verify->without_unit++;
    else
      base_print(disagree(verify, site), "libdwarf finds no function here\n");
    return 0;
  }
  if (site->flags & FMT_SITE_SLED) {
    while (innermost->outer >= 0)
      innermost = &verify->module.scopes[innermost->outer];
    return check_entered(verify, site, innermost, innermost);
  }
  if (is_symbol_without_dwarf(verify, site, innermost)) {
    verify->without_dwarf++;
    verify->by_argument++;
    return 0;
  }
  struct vf_scope *entered = entered_scope(verify, site, innermost);
  if (!entered)
    return -ENOMEM;
  if (same_function(verify, entered, innermost))
    return check_entered(verify, site, innermost, innermost);
  /* DWARF's range of the inlined instance does not hold the call. Its own scope may be an outer one of those here. */
  verify->by_argument++;
  struct vf_scope *scope = innermost;
  while (scope->outer >= 0 && !same_function(verify, scope, entered))
    scope = &verify->module.scopes[scope->outer];
  return check_entered(verify, site, same_function(verify, scope, entered) ? scope : entered, innermost);
}

static const struct vf_call *call_at(const struct vf_module *module, uint64_t pc)
{
  size_t low = 0, high = module->call_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (module->calls[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < module->call_count && module->calls[low].pc == pc ? &module->calls[low] : NULL;
}

/* Whether one of the call sites at the address gives the argument register this value. */
static bool call_gives(struct verify *verify, const struct fmt_index_call_site *site,
                       const struct fmt_index_call_value *wanted, const struct vf_machine *machine)
{
  const struct vf_module *module = &verify->module;
  const struct vf_scope *scope = vf_scope_at(&verify->module, site->pc - 1);
  for (const struct vf_call *call = call_at(module, site->pc);
       call && call < module->calls + module->call_count && call->pc == site->pc; call++) {
    struct vf_place place = {.module = &verify->module,
                             .object = call->object,
                             .machine = machine,
                             .physical = scope ? physical_of(module, scope) : NULL,
                             .pc = site->pc,
                             .call = vf_call_before(&verify->code, site->pc),
                             .is_caller = true};
    for (Dwarf_Die child = vf_child(call->die); child; child = vf_sibling(call->object->dbg, child)) {
      if (vf_register_of(&place, child, DW_AT_location) != wanted->reg)
        continue;
      struct vf_value value;
      bool is_old = !vf_has(child, DW_AT_call_value);
      vf_evaluate_attribute(&place, child, is_old ? DW_AT_GNU_call_site_value : DW_AT_call_value, &value);
      uint64_t indexed = (uint64_t)wanted->imm;
      if (wanted->kind == FMT_CALL_REGISTER)
        indexed += machine->registers[wanted->source % VF_REGISTERS];
      else if (wanted->kind == FMT_CALL_FRAME) /* the callee's CFA is the caller's stack pointer before the call */
        indexed += machine->registers[7];
      else if (wanted->kind == FMT_CALL_ADDRESS)
        indexed += machine->bias;
      if (value.status == VF_READ && value.value == indexed)
        return true;
    }
  }
  return false;
}

static void check_calls(struct verify *verify)
{
  const struct fmt_index *index = verify->index;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_CALL_SITES]; i++) {
    const struct fmt_index_call_site *site = &index->call_sites[i];
    for (uint32_t k = 0; k < site->value_count; k++) {
      const struct fmt_index_call_value *value = &index->call_values[site->first_value + k];
      bool agrees = true;
      verify->call_values++;
      for (int m = 0; m < MACHINES && agrees; m++)
        agrees = call_gives(verify, site, value, &verify->machines[m]);
      if (agrees)
        continue;
      verify->disagreed++;
      base_print(verify->module.out,
                 "%s: call that returns to %#" PRIx64 ": libdwarf does not read the same for register %u\n",
                 verify->module.path, site->pc, value->reg);
    }
  }
}

static void tell_count(FILE *out, uint64_t count, const char *text)
{
  if (count)
    fprintf(out, "  %" PRIu64 " %s\n", count, text);
}

static void summarize(const struct verify *verify)
{
  FILE *out = verify->module.out;
  base_print(out, "%s: sites %" PRIu64 ", parameters %" PRIu64 ", agree %" PRIu64 ", disagree %" PRIu64 "\n",
             verify->module.path, verify->sites, verify->parameters, verify->agreed + verify->by_type,
             verify->disagreed);
  tell_count(out, verify->call_values, "values at call sites compared as well");
  tell_count(out, verify->by_argument, "sites whose function is told by the hook's argument and not by DWARF's ranges");
  tell_count(out, verify->loaded,
             "of those that agree are sums with a spilled register whose load clang leaves out: with the load put in");
  tell_count(out, verify->by_type, "of the parameters print as their type: only that was compared");
  tell_count(out, verify->by_rule, "parameters not compared: a rule makes more of them than their value");
  tell_count(out, verify->by_code,
             "parameters not compared: told on entry or after the call, behind instructions that are not followed");
  tell_count(out, verify->may_be_set, "parameters lost that the function may set, which its code alone tells (clang)");
  tell_count(out, verify->beyond, "parameters lost that only unsigned division or a loop would give");
  tell_count(out, verify->unknown, "parameters not compared: operations that the second reader does not evaluate");
  tell_count(out, verify->without_dwarf, "sites of functions without debug information: nothing to compare");
  tell_count(out, verify->module.unreadable_ranges, "functions or inlined instances whose ranges libdwarf cannot read");
  tell_count(out, verify->without_unit, "sites not compared: libdwarf cannot read their .dwo file");
}

int sym_index_verify(const char *path, const struct fmt_index *index, FILE *out, base_message_fn message, void *data)
{
  if (index->header->machine != EM_X86_64) {
    char line[PATH_MAX + 64];
    snprintf(line, sizeof line, "%s: --verify knows programs of x86-64 alone", path);
    message(line, data);
    return -ENOTSUP;
  }
  struct verify *verify = calloc(1, sizeof *verify);
  if (!verify)
    return -ENOMEM;
  verify->index = index;
  for (int i = 0; i < MACHINES; i++)
    vf_machine_init(&verify->machines[i], (uint64_t)i + 1);
  int result = vf_module_open(&verify->module, path, out, message, data);
  if (result == 0)
    result = vf_code_open(&verify->code, path);
  for (uint32_t i = 0; result == 0 && i < index->count[FMT_SECTION_SITES]; i++)
    result = check_site(verify, &index->sites[i]);
  if (result == 0) {
    check_calls(verify);
    summarize(verify);
    result = ferror(out) ? -EIO : verify->disagreed > INT_MAX ? INT_MAX : (int)verify->disagreed;
  }
  free(verify->functions.buckets);
  free(verify->entries.all);
  vf_code_close(&verify->code);
  vf_module_close(&verify->module);
  free(verify);
  return result;
}
