/* Finds the functions, inlined ones too, that addresses of a module's code belong to. */
#include "symbols/index/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/base/addressmap.h"
#include "symbols/dwarf/declfile.h"
#include "symbols/dwarf/scopes.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/list_bounds.h"
#include "symbols/elf/symboltable.h"
#include "symbols/index/functions.h"
#include "symbols/sites/hook_calls.h"
#include "symbols/sites/scope_walk.h"
#include "symbols/sites/sites.h"

/* What one search owns. */
struct search {
  const struct sym_places_options *options;
  struct sym_debugfile file;
  struct sym_hook hook;     /* for its code, when lines or calls of hooks are asked for */
  struct base_vector lines; /* struct sym_code_line, of one address */
  struct sym_symbol_table symbols;
  struct sym_scopes *names; /* what functions' names are qualified by */
  struct sym_functions functions;
  struct base_vector sites;    /* struct sym_found_site: the addresses */
  struct base_vector scopes;   /* struct sym_scope */
  uint32_t *innermost;         /* by address */
  uint32_t *place_of_scope;    /* FMT_NONE until needed */
  struct sym_address_map keys; /* function and parent -> place */
  struct base_vector *places;  /* struct sym_place */
};

static int prepare(struct search *search, const char *path, const uint64_t *addresses, uint32_t count)
{
  const struct sym_places_options *options = search->options;
  int error = sym_debugfile_open(&search->file, path, options->message, options->data);
  if (!error && options->build_id &&
      (search->file.build_id_size != options->build_id_size ||
       (options->build_id_size && memcmp(search->file.build_id, options->build_id, options->build_id_size) != 0)))
    error = -ENOENT;
  if (!error)
    error = sym_symbol_table_read(&search->symbols, &search->file);
  struct sym_found_site *sites = error ? NULL : base_vector_add(&search->sites, count);
  if (!error && !sites)
    error = -ENOMEM;
  for (uint32_t i = 0; !error && i < count; i++)
    sites[i] = (struct sym_found_site){.pc = addresses[i] + 1, .call = addresses[i]};
  if (!error)
    error = sym_scopes_around(&search->file, &search->sites, &search->scopes, &search->innermost);
  search->names = sym_scopes_new();
  if (!error && !search->names)
    error = -ENOMEM;
  search->place_of_scope = error ? NULL : malloc((search->scopes.count + 1) * sizeof *search->place_of_scope);
  if (!error && !search->place_of_scope)
    error = -ENOMEM;
  for (uint32_t i = 0; !error && i < search->scopes.count; i++)
    search->place_of_scope[i] = FMT_NONE;
  return error;
}

/* The place of a function inlined into `parent`, made when new. */
static int intern(struct search *search, uint32_t function, uint32_t parent, uint32_t *place)
{
  uint64_t key = (uint64_t)function << 32 | parent;
  *place = sym_address_map_get(&search->keys, key);
  if (*place != UINT32_MAX)
    return 0;
  const struct sym_function_entry *entry = base_vector_at(&search->functions.entries, function);
  struct sym_place *added = base_vector_add(search->places, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct sym_place){
      .name = entry->function.name, .file = entry->function.file, .line = entry->function.line, .parent = parent};
  *place = search->places->count - 1;
  return sym_address_map_put(&search->keys, key, *place);
}

static int function_of(struct search *search, uint32_t scope, uint32_t *function)
{
  Dwarf_Die die = ((const struct sym_scope *)base_vector_at(&search->scopes, scope))->die;
  return sym_functions_add_name(&search->functions, &die, search->names, function);
}

/* The place of a scope. Scopes come after those that they were inlined into, whose places are made with theirs. */
static int place_scope(struct search *search, uint32_t innermost, uint32_t *place)
{
  const struct sym_scope *scopes = search->scopes.data;
  int error = 0;
  while (!error && search->place_of_scope[innermost] == FMT_NONE) {
    uint32_t scope = innermost, function, parent;
    while (scopes[scope].parent != FMT_NONE && search->place_of_scope[scopes[scope].parent] == FMT_NONE)
      scope = scopes[scope].parent;
    parent = scopes[scope].parent == FMT_NONE ? FMT_NONE : search->place_of_scope[scopes[scope].parent];
    error = function_of(search, scope, &function);
    if (!error)
      error = intern(search, function, parent, &search->place_of_scope[scope]);
  }
  *place = search->place_of_scope[innermost];
  return error;
}

static int place_symbol(struct search *search, uint64_t address, uint32_t *place)
{
  const struct sym_symbol *symbol = sym_symbol_table_holding(&search->symbols, address);
  uint32_t function;
  *place = FMT_NONE;
  if (!symbol)
    return 0;
  int error = sym_functions_add_symbol(&search->functions, symbol, address, &function);
  return error ? error : intern(search, function, FMT_NONE, place);
}

static int add_line(struct search *search, Dwarf_Die *die, const char *file, uint32_t line, uint32_t place)
{
  struct sym_code_line *added = base_vector_add(&search->lines, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct sym_code_line){.line = line};
  if (place != FMT_NONE)
    added->name = ((const struct sym_place *)base_vector_at(search->places, place))->name;
  return sym_functions_file(&search->functions, die, file, &added->file);
}

/* The unit whose code an address is of. */
static bool unit_around(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
  Dwarf_CU *at = NULL;
  while (dwarf && dwarf_get_units(dwarf, at, &at, NULL, NULL, unit, NULL) == 0) {
    Dwarf_Addr base, low, high;
    ptrdiff_t next = 0;
    while ((next = sym_ranges_next(unit, next, &base, &low, &high)) > 0)
      if (low <= address && address < high)
        return true;
  }
  return false;
}

/* The line that the line table gives an address, in the function of the place. */
static int add_innermost_line(struct search *search, Dwarf_Die *unit, uint64_t address, uint32_t place)
{
  Dwarf_Line *source = dwarf_getsrc_die(unit, address);
  int line = 0;
  const char *file = source ? dwarf_linesrc(source, NULL, NULL) : NULL;
  if (source && dwarf_lineno(source, &line) != 0)
    line = 0;
  return add_line(search, unit, file, (uint32_t)line, place);
}

/* The lines of address number `number`, whose place is known. Of functions that are alike gcc describes one alone
 * (-fipa-icf), but has lines of each. */
static int collect_lines(struct search *search, uint32_t number, uint64_t address, uint32_t place)
{
  uint32_t scope = search->innermost[number];
  char path[SYM_FILE_MAX];
  Dwarf_Die unit;
  search->lines.count = 0;
  if (scope == FMT_NONE)
    return unit_around(search->file.dwarf, address, &unit) ? add_innermost_line(search, &unit, address, place) : 0;
  Dwarf_Die die = ((const struct sym_scope *)base_vector_at(&search->scopes, scope))->die;
  int error = dwarf_diecu(&die, &unit, NULL, NULL) ? add_innermost_line(search, &unit, address, place)
                                                   : add_line(search, &die, NULL, 0, place);
  while (!error) {
    const struct sym_scope *at = base_vector_at(&search->scopes, scope);
    if (at->parent == FMT_NONE)
      break;
    die = at->die;
    if (place != FMT_NONE)
      place = ((const struct sym_place *)base_vector_at(search->places, place))->parent;
    error = add_line(search, &die, sym_call_file(&die, path), at->call_line, place);
    scope = at->parent;
  }
  return error;
}

/* Does the call instruction call another function than the callee, which then was jumped to from there? Clones of one
 * function are one. */
static bool calls_other(const struct search *search, uint64_t address, uint64_t callee)
{
  uint64_t target = callee ? sym_call_target(&search->hook, address + 1) : 0;
  const struct sym_symbol *called = target ? sym_symbol_table_exact(&search->symbols, target) : NULL;
  const struct sym_symbol *entered = called ? sym_symbol_table_holding(&search->symbols, callee) : NULL;
  if (!entered || called == entered)
    return false;
  const size_t length = sym_symbol_base_length(called->name);
  return length != sym_symbol_base_length(entered->name) || memcmp(called->name, entered->name, length) != 0;
}

static int tell_lines(struct search *search, uint32_t number, uint64_t address, uint32_t place)
{
  const struct sym_places_options *options = search->options;
  int error = collect_lines(search, number, address, place);
  if (error)
    return error;
  return options->lines(number, search->lines.data, search->lines.count,
                        calls_other(search, address, options->callees[number]), options->lines_data);
}

static int find_hook_calls(struct search *search, const uint64_t *addresses, uint32_t count)
{
  const bool are_off = search->options->sleds_are_off;
  struct sym_sleds sleds = {0};
  int error = are_off ? 0 : sym_sleds_find(&sleds, &search->file, &search->hook, &search->symbols);
  for (uint32_t i = 0; !error && i < count; i++)
    search->options->at_hooks[i] = sym_is_hook_call(&search->hook, are_off ? NULL : &sleds, addresses[i]);
  sym_sleds_free(&sleds);
  return error;
}

/* Whether the code itself is looked at. */
static bool reads_code(const struct sym_places_options *options)
{
  return options->lines || options->at_hooks;
}

static void release(struct search *search)
{
  if (reads_code(search->options))
    sym_hook_free(&search->hook);
  base_vector_free(&search->lines);
  sym_scopes_free(search->names);
  sym_functions_free(&search->functions);
  sym_address_map_free(&search->keys);
  base_vector_free(&search->sites);
  base_vector_free(&search->scopes);
  free(search->innermost);
  free(search->place_of_scope);
  sym_symbol_table_free(&search->symbols);
  sym_debugfile_close(&search->file);
}

int sym_places_find(const char *path, const uint64_t *addresses, uint32_t count,
                    const struct sym_places_options *options, struct base_vector *places, uint32_t *place_of)
{
  struct search search = {.options = options,
                          .sites = BASE_VECTOR_OF(struct sym_found_site),
                          .scopes = BASE_VECTOR_OF(struct sym_scope),
                          .lines = BASE_VECTOR_OF(struct sym_code_line),
                          .places = places};
  sym_functions_init(&search.functions, options->strings);
  int error = prepare(&search, path, addresses, count);
  if (!error && reads_code(options))
    error = sym_hook_find(&search.hook, &search.file);
  if (!error && options->at_hooks)
    error = find_hook_calls(&search, addresses, count);
  for (uint32_t i = 0; !error && i < count; i++) {
    if (search.innermost[i] != FMT_NONE)
      error = place_scope(&search, search.innermost[i], &place_of[i]);
    else
      error = place_symbol(&search, addresses[i], &place_of[i]);
    if (!error && options->lines)
      error = tell_lines(&search, i, addresses[i], place_of[i]);
  }
  release(&search);
  return error;
}
