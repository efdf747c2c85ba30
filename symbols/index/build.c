/*
 * Makes the signature index of a module: finds its sites, plans its functions, compiles each site, writes it all.
 */
#include "symbols/index/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/cache_key.h"
#include "format/sled.h"
#include "symbols/base/mangled_name.h"
#include "symbols/dwarf/split_units.h"
#include "symbols/index/build_state.h"
#include "symbols/index/coverage.h"
#include "symbols/index/explain.h"
#include "symbols/index/lacking.h"
#include "symbols/index/source.h"
#include "symbols/index/write.h"
#include "symbols/plan/notes.h"
#include "symbols/plan/rule_diagnostics.h"

/* Names of a file that nobody tampered with lie in it, once each, compressed at most: where there is far more of them,
 * each of many reaches over those that come behind it. */
#define TEXT_LEAST ((size_t)64 << 20)
#define TEXT_SHARE ((size_t)16)

static size_t most_text(const char *path)
{
  struct stat status;
  return TEXT_LEAST + (stat(path, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size * TEXT_SHARE : 0);
}

static int prepare(struct sym_build *build, const char *path)
{
  const struct sym_index_options *options = build->options;
  int error = sym_debugfile_open(&build->file, path, options->message, options->data);
  if (!error)
    error = sym_symbol_table_read(&build->symbol_table, &build->file);
  if (!error)
    error = sym_hook_find(&build->hook, &build->file);
  if (!error)
    error = sym_sites_find(&build->hook, &build->found);
  if (!error)
    error = sym_sleds_find(&build->sleds, &build->file, &build->hook, &build->symbol_table);
  if (!error)
    error = sym_sleds_add_sites(&build->sleds, &build->found);
  if (!error)
    error = sym_instances_find(&build->instances, &build->file, &build->hook, &build->found, &build->symbol_table);
  if (!error)
    error = sym_notes_rules(build->file.elf, path, options->message, options->data, &build->module_rules);
  if (error)
    return error;
  build->missing_units = sym_split_units_missing(build->file.dwarf, &build->missing_path);
  build->strings = base_strings_new();
  build->asked = calloc(build->instances.ranges.count + 1, sizeof *build->asked);
  if (!build->strings || !build->asked)
    return -ENOMEM;
  base_strings_limit(build->strings, most_text(path));
  sym_functions_init(&build->functions, build->strings);
  sym_spills_init(&build->spills, &build->file, &build->hook);
  const struct sym_planner_options planner = {.strings = build->strings,
                                              .rules = options->rules,
                                              .module_rules = build->module_rules,
                                              .dwarf = build->file.dwarf,
                                              .module = path,
                                              .library_calls = options->library_calls,
                                              .message = options->message,
                                              .data = options->data};
  error = sym_planner_new(&planner, &build->planner);
  if (!error && (options->explain || options->coverage))
    error = sym_report_new(build->strings, build->planner, &build->report);
  return error;
}

/* The concrete ranges of code, and the entry point of each function: of several out-of-line copies the one whose symbol
 * has no clone suffix. */
static int add_physicals(struct sym_build *build)
{
  for (uint32_t i = 0; i < build->instances.ranges.count; i++) {
    const struct sym_range *range = base_vector_at(&build->instances.ranges, i);
    Dwarf_Die die = range->die;
    uint32_t function = sym_functions_find(&build->functions, &die);
    struct fmt_index_physical *physical = base_vector_add(&build->physicals, 1);
    if (!physical)
      return -ENOMEM;
    *physical = (struct fmt_index_physical){.low = range->low, .high = range->high, .function = function};
    if (function == FMT_NONE || range->low != range->entry)
      continue;
    struct sym_function_entry *entry = base_vector_at(&build->functions.entries, function);
    const struct sym_symbol *symbol = sym_symbol_table_exact(&build->symbol_table, range->entry);
    bool is_clone = symbol && symbol->name[sym_symbol_base_length(symbol->name)] != '\0';
    if (!entry->function.address || !is_clone)
      entry->function.address = range->entry;
  }
  return 0;
}

/* Is it one of the functions that `--below` looks for, by its name as reports have it? */
static int ask_for_top(const struct sym_build *build, struct fmt_index_function *function)
{
  char *name;
  if (!build->options->is_top)
    return 0;
  const char *file = base_strings_at(build->strings, function->file);
  if (asprintf(&name, "%s:%u(%s)", *file ? file : basename(build->file.path), function->line,
               base_strings_at(build->strings, function->name)) < 0)
    return -ENOMEM;
  if (build->options->is_top(name, build->options->below_data))
    function->flags |= FMT_FUNCTION_TOP;
  free(name);
  return 0;
}

static int add_functions(struct sym_build *build)
{
  for (uint32_t i = 0; i < build->functions.entries.count; i++) {
    const struct sym_function_entry *entry = base_vector_at(&build->functions.entries, i);
    struct fmt_index_function *function = base_vector_add(&build->function_section, 1);
    if (!function)
      return -ENOMEM;
    *function = entry->function;
    const int error = ask_for_top(build, function);
    if (error < 0)
      return error;
    function->first_arg = build->args.count;
    struct fmt_index_arg *args = base_vector_add(&build->args, function->arg_count);
    if (!args)
      return -ENOMEM;
    for (uint16_t k = 0; k < function->arg_count; k++)
      args[k] = entry->plan->args[k].arg;
  }
  return 0;
}

/* Gives the entry sleds their sites, and all sleds what is known of their functions. */
static void join_sleds(struct sym_build *build)
{
  const struct fmt_index_site *sites = build->sites.data;
  for (uint32_t i = 0, at = 0; i < build->sleds.sleds.count; i++) {
    struct fmt_index_sled *sled = base_vector_at(&build->sleds.sleds, i);
    if (!fmt_sled_is_entry(sled->kind))
      continue;
    while (sites[at].pc != sled->address + FMT_SLED_CALL)
      at++;
    sled->site = at;
  }
  sym_sleds_share_flags(&build->sleds);
}

static int add_symbols(struct sym_build *build)
{
  for (uint32_t i = 0; i < build->symbol_table.symbols.count; i++) {
    const struct sym_symbol *symbol = base_vector_at(&build->symbol_table.symbols, i);
    struct fmt_index_symbol *added = base_vector_add(&build->symbols, 1);
    char *base = strndup(symbol->name, sym_symbol_base_length(symbol->name));
    char *name = base ? sym_demangle(base) : NULL;
    int error = added && name ? base_strings_add(build->strings, name, &added->name) : -ENOMEM;
    if (!error) {
      added->address = symbol->address;
      added->size = symbol->size;
    }
    free(base);
    free(name);
    if (error)
      return error;
  }
  return 0;
}

/* What callers tell of the functions that hold sites. */
static int find_calls(struct sym_build *build)
{
  bool *is_wanted = calloc(build->instances.ranges.count + 1, sizeof *is_wanted);
  if (!is_wanted)
    return -ENOMEM;
  for (uint32_t i = 0; i < build->found.count; i++) {
    const struct sym_found_site *found = base_vector_at(&build->found, i);
    uint32_t range = sym_instances_range_at(&build->instances, found->call);
    if (range != FMT_NONE && !sym_is_sled(found))
      is_wanted[range] = true;
  }
  int error = sym_call_sites_find(&build->calls, &build->file, &build->hook, &build->instances, is_wanted);
  free(is_wanted);
  return error;
}

static int collect(struct sym_build *build)
{
  int error = find_calls(build);
  if (!error)
    error = sym_build_find_bare(build);
  for (uint32_t i = 0; !error && i < build->found.count; i++)
    error = sym_build_add_site(build, i);
  if (!error && build->options->library_calls && build->found.count)
    error = sym_build_add_imports(build);
  if (!error)
    error = sym_call_sites_keep(&build->calls, build->asked);
  if (!error)
    error = add_physicals(build);
  if (!error) {
    join_sleds(build);
    error = add_functions(build);
  }
  if (!error)
    error = add_symbols(build);
  if (!error)
    error = sym_rule_diagnostics_make(build->planner);
  return error;
}

static struct sym_section_data section(const struct base_vector *vector)
{
  return (struct sym_section_data){vector->data, vector->count, (uint32_t)vector->entry_size};
}

static int write_index(struct sym_build *build, const char *path, void **index, size_t *size)
{
  struct sym_index_identity identity = {.build_id = build->file.build_id,
                                        .build_id_size = build->file.build_id_size,
                                        .machine = build->file.header.e_machine,
                                        .rules_hash = fmt_index_made_by(sym_rules_hash(build->options->rules),
                                                                        build->options->library_calls,
                                                                        build->options->below_hash)};
  identity.flags = (build->file.dwarf ? FMT_INDEX_HAS_DWARF : 0u) |
                   (build->symbol_table.has_symtab ? FMT_INDEX_HAS_SYMTAB : 0u) |
                   (build->hook.bind_now ? FMT_INDEX_BIND_NOW : 0u) | sym_lacking_flags(build->missing_units);
  struct fmt_index_source source;
  bool named;
  int error = base_strings_add(build->strings, path, &identity.path);
  if (!error)
    error = sym_source_read(path, &source, &named);
  if (error)
    return error;
  identity.source = &source;
  size_t string_size;
  uint32_t types, enumerators, ranges, rules;
  const struct sym_types *type_table = sym_planner_types(build->planner);
  struct sym_section_data sections[FMT_SECTION_COUNT] = {
      [FMT_SECTION_SITES] = section(&build->sites),
      [FMT_SECTION_PHYSICALS] = section(&build->physicals),
      [FMT_SECTION_FUNCTIONS] = section(&build->function_section),
      [FMT_SECTION_ARGS] = section(&build->args),
      [FMT_SECTION_TYPES] = {sym_types_entries(type_table, &types), 0, sizeof(struct fmt_index_type)},
      [FMT_SECTION_ENUMERATORS] = {sym_types_enumerators(type_table, &enumerators), 0,
                                   sizeof(struct fmt_index_enumerator)},
      [FMT_SECTION_OPS] = section(&build->ops),
      [FMT_SECTION_STATES] = section(&build->states),
      [FMT_SECTION_RANGES] = {sym_planner_ranges(build->planner, &ranges), 0, sizeof(int64_t)},
      [FMT_SECTION_CALL_SITES] = section(&build->calls.sites),
      [FMT_SECTION_CALL_VALUES] = section(&build->calls.values),
      [FMT_SECTION_SYMBOLS] = section(&build->symbols),
      [FMT_SECTION_SAVED] = section(&build->saved),
      [FMT_SECTION_RULES] = {sym_planner_rules(build->planner, &rules), 0, sizeof(struct fmt_index_rule)},
      [FMT_SECTION_SLEDS] = section(&build->sleds.sleds)};
  sections[FMT_SECTION_TYPES].count = types;
  sections[FMT_SECTION_ENUMERATORS].count = enumerators;
  sections[FMT_SECTION_RANGES].count = ranges;
  sections[FMT_SECTION_RULES].count = rules;
  const char *strings = base_strings_data(build->strings, &string_size);
  if (string_size > UINT32_MAX)
    return -E2BIG;
  sections[FMT_SECTION_STRINGS] = (struct sym_section_data){strings, (uint32_t)string_size, 1};
  return sym_index_write(&identity, sections, index, size);
}

/* What is said of sleds that are left out. False: nothing that explains why there may be none at all. */
static bool tell_sleds(const struct sym_debugfile *file, const struct sym_sleds *sleds)
{
  const uint32_t known = sleds->versions + sleds->patched + sleds->broken;
  if (sleds->versions)
    sym_debugfile_say(file, "its sleds are listed in a way that is not known: compile it with clang 14 or newer");
  if (sleds->refused > known)
    sym_debugfile_say(file, "%u entries of its lists of sleds are not of this code and are left out",
                      sleds->refused - known);
  if (sleds->broken_functions)
    sym_debugfile_say(file,
                      "%u function%s not profiled, where clang put a sled between a comparison and its jump to another "
                      "function: compile it with -fno-optimize-sibling-calls",
                      sleds->broken_functions, sleds->broken_functions == 1 ? " is" : "s are");
  if (sleds->patched)
    sym_debugfile_say(file, "has functions without entry sleds, in whose place clang left room for patches, and which "
                            "are not profiled: compile it without -fpatchable-function-entry");
  return sleds->patched || sleds->broken_functions;
}

/* The lines that a user wants to know about a module that will show less than it could. */
static void tell(const struct sym_build *build)
{
  const bool is_told = tell_sleds(&build->file, &build->sleds);
  if (build->found.count == 0 && is_told)
    return;
  if (build->found.count == 0)
    sym_debugfile_say(&build->file,
                      "has neither sleds nor calls of __cyg_profile_func_enter: compile it with callsig-cc, or with "
                      "-finstrument-functions");
  else if (!build->file.dwarf && !build->symbol_table.has_symtab)
    sym_debugfile_say(&build->file,
                      "is stripped: functions are shown by address; link it without -s and compile it with -g");
  else if (!build->file.dwarf)
    sym_debugfile_say(&build->file, "has no debug information: arguments are unknown; compile it with -g");
  if (build->missing_units && build->found.count)
    sym_lacking_tell(&build->file, build->missing_units, build->missing_path);
}

static void release(struct sym_build *build)
{
  sym_report_free(build->report);
  sym_planner_free(build->planner);
  sym_rules_free(build->module_rules);
  sym_functions_free(&build->functions);
  base_strings_free(build->strings);
  sym_call_sites_free(&build->calls);
  sym_spills_free(&build->spills);
  sym_kept_parameters_free(&build->kept);
  sym_instances_free(&build->instances);
  sym_sleds_free(&build->sleds);
  sym_hook_free(&build->hook);
  sym_symbol_table_free(&build->symbol_table);
  sym_debugfile_close(&build->file);
  struct base_vector *vectors[] = {&build->found, &build->sites, &build->physicals, &build->function_section,
                                   &build->args,  &build->ops,   &build->states,    &build->symbols,
                                   &build->saved};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    base_vector_free(vectors[i]);
  free(build->asked);
  free(build->missing_path);
}

int sym_index_build(const char *path, const struct sym_index_options *options, void **index, size_t *size)
{
  static const struct sym_index_options defaults = {.size = sizeof defaults};
  if (!options)
    options = &defaults;
  struct sym_build build = {.options = options,
                            .sites = BASE_VECTOR_OF(struct fmt_index_site),
                            .physicals = BASE_VECTOR_OF(struct fmt_index_physical),
                            .function_section = BASE_VECTOR_OF(struct fmt_index_function),
                            .args = BASE_VECTOR_OF(struct fmt_index_arg),
                            .ops = BASE_VECTOR_OF(struct fmt_op),
                            .states = BASE_VECTOR_OF(uint64_t),
                            .symbols = BASE_VECTOR_OF(struct fmt_index_symbol),
                            .saved = BASE_VECTOR_OF(struct fmt_index_saved)};
  int error = prepare(&build, path);
  if (!error) {
    tell(&build);
    error = collect(&build);
  }
  if (!error && build.report && options->explain)
    error = sym_report_explain(build.report, path, options->explain);
  if (!error && build.report && options->coverage)
    error = sym_report_coverage(build.report, path, options->coverage);
  if (!error)
    error = write_index(&build, path, index, size);
  if (error == -E2BIG && build.strings && base_strings_is_full(build.strings))
    sym_debugfile_say(&build.file,
                      "cannot be indexed: its names have more than %zu bytes together, which have no place in it: its "
                      "debug information is damaged",
                      most_text(path));
  else if (error == -ENOMEM || error == -E2BIG)
    sym_debugfile_say(&build.file, "cannot be indexed: %s", strerror(-error));
  release(&build);
  return error;
}
