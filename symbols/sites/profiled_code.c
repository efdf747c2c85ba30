/* Tells functions with probe sites from those without. */
#include "symbols/sites/profiled_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/debugfile.h"
#include "symbols/elf/hook.h"
#include "symbols/elf/symboltable.h"
#include "symbols/sites/sites.h"
#include "symbols/sites/sleds.h"

/* A function's name without what marks its clones. */
struct name {
  const char *text; /* libelf's */
  size_t length;
};

struct sym_profiled_code {
  struct sym_debugfile file;
  struct sym_symbol_table symbols;
  struct base_vector names; /* struct name, ascending: of functions with sites */
};

static int compare(const void *a, const void *b)
{
  const struct name *left = a, *right = b;
  const size_t length = left->length < right->length ? left->length : right->length;
  const int order = memcmp(left->text, right->text, length);
  return order ? order : (left->length > right->length) - (left->length < right->length);
}

static struct name name_of(const struct sym_symbol *symbol)
{
  return (struct name){.text = symbol->name, .length = sym_symbol_base_length(symbol->name)};
}

/* Sites are ascending, and those of one function stand together. */
static int take_names(struct sym_profiled_code *code, const struct base_vector *sites)
{
  const struct sym_symbol *last = NULL;
  for (uint32_t i = 0; i < sites->count; i++) {
    const struct sym_found_site *site = base_vector_at(sites, i);
    const struct sym_symbol *symbol = sym_symbol_table_holding(&code->symbols, site->call);
    if (!symbol || symbol == last)
      continue;
    struct name *added = base_vector_add(&code->names, 1);
    if (!added)
      return -ENOMEM;
    *added = name_of(symbol);
    last = symbol;
  }
  if (code->names.count)
    qsort(code->names.data, code->names.count, sizeof(struct name), compare);
  return 0;
}

static int find_sites(const struct sym_profiled_code *code, struct base_vector *sites)
{
  struct sym_hook hook = {0};
  struct sym_sleds sleds = {0};
  int error = sym_hook_find(&hook, &code->file);
  /* Looking for calls of it takes longer than all the rest, and samples of the program would wait for that, and be
   * lost. */
  if (!error && sym_hook_is_named(&hook))
    error = sym_sites_find(&hook, sites);
  if (!error)
    error = sym_sleds_find(&sleds, &code->file, &hook, &code->symbols);
  if (!error)
    error = sym_sleds_add_sites(&sleds, sites);
  sym_sleds_free(&sleds);
  sym_hook_free(&hook);
  return error;
}

int sym_profiled_code_open(struct sym_profiled_code **code, const char *path)
{
  struct base_vector sites = BASE_VECTOR_OF(struct sym_found_site);
  *code = calloc(1, sizeof **code);
  if (!*code)
    return -ENOMEM;
  (*code)->names = (struct base_vector)BASE_VECTOR_OF(struct name);
  int error = sym_debugfile_open(&(*code)->file, path, NULL, NULL);
  if (!error)
    error = sym_symbol_table_read(&(*code)->symbols, &(*code)->file);
  if (!error)
    error = find_sites(*code, &sites);
  if (!error)
    error = take_names(*code, &sites);
  base_vector_free(&sites);
  if (error) {
    sym_profiled_code_close(*code);
    *code = NULL;
  }
  return error;
}

void sym_profiled_code_close(struct sym_profiled_code *code)
{
  if (!code)
    return;
  base_vector_free(&code->names);
  sym_symbol_table_free(&code->symbols);
  sym_debugfile_close(&code->file);
  free(code);
}

bool sym_is_unprofiled(const struct sym_profiled_code *code, uint64_t offset)
{
  const struct base_vector *names = &code->names;
  uint64_t address;
  if (!names->count || !code->symbols.has_symtab || !sym_link_address(code->file.elf, offset, &address))
    return false;
  const struct sym_symbol *symbol = sym_symbol_table_holding(&code->symbols, address);
  if (!symbol)
    return false;
  const struct name name = name_of(symbol);
  return bsearch(&name, names->data, names->count, names->entry_size, compare) == NULL;
}
