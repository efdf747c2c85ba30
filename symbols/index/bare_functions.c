/*
 * Finds out whose the code is that debug information says nothing of, where the function is defined in it.
 *
 * Of functions whose code is the same gcc (-fipa-icf, which -O2 includes) leaves one. Where the address of another may
 * be compared, that gets code of its own, which calls the one that is left, or has its code again; the debug
 * information then has the function as its source does, and no code of it. Whose a local symbol is tells the unit whose
 * code holds it: one unit has one function of that name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/prototypes.h"
#include "symbols/index/build_state.h"

/* The symbol of the function whose entry the site is, where it may be one of these; NULL: it is not. What was inlined
 * is not asked for. */
static const struct sym_symbol *symbol_of(const struct sym_build *build, uint32_t index)
{
  const struct sym_instance *instance = base_vector_at(&build->instances.instances, index);
  const struct sym_found_site *found = base_vector_at(&build->found, index);
  if (instance->is_known || !instance->this_function)
    return NULL;
  const struct sym_symbol *symbol = sym_symbol_table_exact(&build->symbol_table, instance->this_function);
  return symbol == sym_symbol_table_holding(&build->symbol_table, found->call) ? symbol : NULL;
}

/* What is asked for of a symbol. */
static struct sym_prototype wanted_of(const struct sym_symbol *symbol)
{
  return (struct sym_prototype){.symbol = symbol ? symbol->name : "",
                                .code = symbol && symbol->is_local ? symbol->address : 0};
}

static int compare(const void *a, const void *b)
{
  const struct sym_prototype *left = a, *right = b;
  const int order = strcmp(left->symbol, right->symbol);
  return order ? order : (left->code > right->code) - (left->code < right->code);
}

/* Takes the site for the entry of the function that is defined by `die`. At a hook's call nothing tells where that has
 * its arguments. */
static void adopt(struct sym_build *build, uint32_t index, const Dwarf_Die *die)
{
  struct sym_instance *instance = base_vector_at(&build->instances.instances, index);
  instance->is_known = true;
  instance->is_hidden = !sym_is_sled(base_vector_at(&build->found, index));
  instance->physical = instance->entered = *die;
}

int sym_build_find_bare(struct sym_build *build)
{
  size_t count = 0;
  struct sym_prototype *wanted = build->file.dwarf ? calloc(build->found.count + 1, sizeof *wanted) : NULL;
  if (!wanted)
    return build->file.dwarf ? -ENOMEM : 0;
  for (uint32_t i = 0; i < build->found.count; i++) {
    const struct sym_symbol *symbol = symbol_of(build, i);
    if (symbol)
      wanted[count++] = wanted_of(symbol);
  }
  qsort(wanted, count, sizeof *wanted, compare);
  sym_bare_definitions_find(build->file.dwarf, wanted, count);
  for (uint32_t i = 0; count && i < build->found.count; i++) {
    const struct sym_symbol *symbol = symbol_of(build, i);
    const struct sym_prototype key = wanted_of(symbol);
    const struct sym_prototype *found = bsearch(&key, wanted, count, sizeof *wanted, compare);
    if (found && found->is_known)
      adopt(build, i, &found->die);
  }
  free(wanted);
  return 0;
}
