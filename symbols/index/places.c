/* Finds the functions, inlined ones too, that addresses of a module's code belong to. */
#include "symbols/index/places.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/base/addressmap.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/symboltable.h"
#include "symbols/index/functions.h"
#include "symbols/plan/planner.h"
#include "symbols/sites/instances.h"
#include "symbols/sites/sites.h"

/* What one search owns. */
struct search {
  const struct sym_places_options *options;
  struct sym_debugfile file;
  struct sym_symbol_table symbols;
  struct sym_planner *planner;
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
  if (!error)
    error = sym_symbol_table_read(&search->symbols, &search->file);
  struct sym_found_site *sites = error ? NULL : base_vector_add(&search->sites, count);
  if (!error && !sites)
    error = -ENOMEM;
  for (uint32_t i = 0; !error && i < count; i++)
    sites[i] = (struct sym_found_site){.pc = addresses[i] + 1, .call = addresses[i]};
  if (!error)
    error = sym_scopes_around(&search->file, &search->sites, &search->scopes, &search->innermost);
  const struct sym_planner_options planner = {.strings = options->strings, .dwarf = search->file.dwarf, .module = path};
  if (!error)
    error = sym_planner_new(&planner, &search->planner);
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
  const struct sym_plan *plan;
  int error = sym_planner_function(search->planner, &die, &plan);
  return error ? error : sym_functions_add(&search->functions, &die, plan, function);
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

static void release(struct search *search)
{
  sym_planner_free(search->planner);
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
                          .places = places};
  sym_functions_init(&search.functions, options->strings);
  int error = prepare(&search, path, addresses, count);
  for (uint32_t i = 0; !error && i < count; i++) {
    if (search.innermost[i] != FMT_NONE)
      error = place_scope(&search, search.innermost[i], &place_of[i]);
    else
      error = place_symbol(&search, addresses[i], &place_of[i]);
  }
  release(&search);
  return error;
}
