/*
 * Finds the function instance, inlined or not, that holds each probe site.
 */
#include "symbols/sites/instances.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/sites/site_function.h"
#include "symbols/sites/sites.h"

static int compare_ranges(const void *a, const void *b)
{
  const struct sym_range *left = a, *right = b;
  if (left->low != right->low)
    return left->low < right->low ? -1 : 1;
  return (left->high < right->high) - (left->high > right->high);
}

/* Sorts, and leaves out what overlaps an earlier range: identical functions that the linker folded, or a corrupt file.
 */
static void settle_ranges(struct base_vector *ranges)
{
  struct sym_range *all = ranges->data;
  uint32_t kept = 0;
  if (ranges->count)
    qsort(all, ranges->count, sizeof *all, compare_ranges);
  for (uint32_t i = 0; i < ranges->count; i++)
    if (kept == 0 || all[i].low >= all[kept - 1].high)
      all[kept++] = all[i];
  ranges->count = kept;
}

uint32_t sym_instances_range_at(const struct sym_instances *instances, uint64_t address)
{
  const struct sym_range *all = instances->ranges.data;
  uint32_t low = 0, high = instances->ranges.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (all[middle].low <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && address < all[low - 1].high ? low - 1 : FMT_NONE;
}

/* The function whose address the code passes to the hook, as DWARF and the symbols know it. */
struct named_function {
  uint64_t address;
  const struct sym_range *range;   /* of the subprogram that begins there, or NULL */
  const struct sym_symbol *symbol; /* at the address, or NULL */
};

static const char *linkage_name(Dwarf_Die *die)
{
  const char *name = sym_die_linkage_name(die);
  return name ? name : dwarf_diename(die);
}

/* Whether two linkage names are of one function. A constructor's or destructor's variants (C1, C2, D0 ...) have one
 * declaration, whose own linkage name is a variant too. */
static bool is_same_name(const char *a, const char *b)
{
  if (*a != *b)
    return false;
  while (*a && *++a == *++b) {
    bool is_variant = (*a == 'C' || *a == 'D') && a[1] >= '0' && a[1] <= '9' && b[1] >= '0' && b[1] <= '9' &&
                      (a[2] == 'E' || a[2] == 'I') && !(a[-1] >= '0' && a[-1] <= '9');
    a += is_variant;
    b += is_variant;
  }
  return *a == *b;
}

/* Whether `die` is an instance of the function at that address: the same declaring DIE, or, for functions that several
 * units define, the same symbol. Constructors have several symbols for one declaration, so their out-of-line instance's
 * own name counts too. */
static bool is_same_function(const struct named_function *named_function, Dwarf_Die *die)
{
  const char *name = linkage_name(die);
  if (named_function->range) {
    Dwarf_Die concrete = named_function->range->die, root, other;
    sym_die_root(&concrete, &root);
    sym_die_root(die, &other);
    if (root.addr == other.addr)
      return true;
    const char *concrete_name = linkage_name(&concrete);
    if (name && concrete_name && is_same_name(name, concrete_name))
      return true;
  }
  if (!name || !named_function->symbol)
    return false;
  size_t length = sym_symbol_base_length(named_function->symbol->name);
  return strncmp(named_function->symbol->name, name, length) == 0 && name[length] == '\0';
}

/* What the choice of a site's instance looks things up in. */
struct knowledge {
  const struct sym_instances *instances;
  const struct sym_symbol_table *symbols;
};

static const struct sym_range *range_entered_at(const struct sym_instances *instances, uint64_t address)
{
  uint32_t range = sym_instances_range_at(instances, address);
  const struct sym_range *found = range == FMT_NONE ? NULL : base_vector_at(&instances->ranges, range);
  return found && found->entry == address ? found : NULL;
}

/* Chooses among the instances around the site, from the innermost outwards. */
static void choose(const struct knowledge *knowledge, const struct sym_scope_walk *walk, uint32_t innermost,
                   struct sym_instance *instance)
{
  const struct sym_scope *nodes = walk->nodes.data;
  const struct named_function named_function = {
      .address = instance->this_function,
      .range = range_entered_at(knowledge->instances, instance->this_function),
      .symbol = sym_symbol_table_exact(knowledge->symbols, instance->this_function)};
  uint32_t chosen = innermost;
  while (named_function.address && chosen != FMT_NONE) {
    Dwarf_Die die = nodes[chosen].die;
    if (is_same_function(&named_function, &die))
      break;
    chosen = nodes[chosen].parent;
  }
  if (chosen == FMT_NONE && named_function.range) {
    instance->is_hidden = instance->is_inlined = true;
    instance->entered = named_function.range->die;
    return;
  }
  /* A function that the compiler describes nowhere (clang's intrinsics are `nodebug`): known by its symbol. */
  if (chosen == FMT_NONE && named_function.symbol) {
    instance->is_known = false;
    return;
  }
  if (chosen == FMT_NONE)
    chosen = innermost;
  instance->entered = nodes[chosen].die;
  instance->is_inlined = nodes[chosen].parent != FMT_NONE;
  instance->call_line = nodes[chosen].call_line;
}

static void settle_site(const struct knowledge *knowledge, const struct sym_scope_walk *walk, uint32_t index,
                        struct sym_instance *instance)
{
  const struct sym_scope *nodes = walk->nodes.data;
  uint32_t node = walk->innermost[index];
  if (node == FMT_NONE)
    return;
  instance->is_known = true;
  uint32_t outermost = node;
  while (nodes[outermost].parent != FMT_NONE)
    outermost = nodes[outermost].parent;
  instance->physical = nodes[outermost].die;
  if (sym_is_sled(base_vector_at(walk->sites, index))) {
    instance->entered = instance->physical;
    return;
  }
  choose(knowledge, walk, node, instance);
}

static int add_span(struct base_vector *spans, uint64_t group, uint64_t low, uint64_t high)
{
  struct sym_code_span *span = base_vector_add(spans, 1);
  if (!span)
    return -ENOMEM;
  *span = (struct sym_code_span){.group = group, .low = low, .high = high};
  return 0;
}

static int compare_spans(const void *a, const void *b)
{
  const struct sym_code_span *left = a, *right = b;
  if (left->group != right->group)
    return left->group < right->group ? -1 : 1;
  return (left->low > right->low) - (left->low < right->low);
}

/* The code of the functions: subprograms, and for sites outside of all of them the symbol that holds the site. */
static int find_spans(const struct sym_instances *instances, const struct base_vector *sites,
                      const struct sym_symbol_table *symbols, struct base_vector *spans)
{
  int error = 0;
  for (uint32_t i = 0; !error && i < instances->ranges.count; i++) {
    const struct sym_range *range = base_vector_at(&instances->ranges, i);
    error = add_span(spans, range->entry, range->low, range->high);
  }
  const struct sym_symbol *last = NULL;
  for (uint32_t i = 0; !error && i < sites->count; i++) {
    const struct sym_found_site *site = base_vector_at(sites, i);
    if (sym_instances_range_at(instances, site->call) != FMT_NONE)
      continue;
    const struct sym_symbol *symbol = sym_symbol_table_holding(symbols, site->call);
    if (symbol && symbol != last && symbol->size)
      error = add_span(spans, symbol->address, symbol->address, symbol->address + symbol->size);
    last = symbol;
  }
  if (!error && spans->count)
    qsort(spans->data, spans->count, sizeof(struct sym_code_span), compare_spans);
  return error;
}

static int find_site_functions(const struct sym_instances *instances, const struct sym_hook *hook,
                               const struct base_vector *sites, const struct sym_symbol_table *symbols)
{
  struct base_vector spans = BASE_VECTOR_OF(struct sym_code_span);
  uint64_t *functions = malloc((sites->count + 1) * sizeof *functions);
  int error = functions ? find_spans(instances, sites, symbols, &spans) : -ENOMEM;
  if (!error)
    error = sym_site_functions_find(hook, sites, &spans, functions);
  for (uint32_t i = 0; !error && i < sites->count; i++) {
    const struct sym_found_site *site = base_vector_at(sites, i);
    struct sym_instance *instance = base_vector_at(&instances->instances, i);
    instance->this_function = sym_is_sled(site) ? site->function : functions[i];
  }
  base_vector_free(&spans);
  free(functions);
  return error;
}

int sym_instances_find(struct sym_instances *instances, const struct sym_debugfile *file, const struct sym_hook *hook,
                       const struct base_vector *sites, const struct sym_symbol_table *symbols)
{
  *instances = (struct sym_instances){.instances = BASE_VECTOR_OF(struct sym_instance),
                                      .ranges = BASE_VECTOR_OF(struct sym_range)};
  struct sym_scope_walk walk;
  int error = sym_scope_walk_all(&walk, file, sites, &instances->ranges, false);
  struct sym_instance *all = base_vector_add(&instances->instances, sites->count);
  if (!error && !all)
    error = -ENOMEM;
  if (!error) {
    settle_ranges(&instances->ranges);
    error = find_site_functions(instances, hook, sites, symbols);
  }
  const struct knowledge knowledge = {.instances = instances, .symbols = symbols};
  for (uint32_t i = 0; !error && i < sites->count; i++)
    settle_site(&knowledge, &walk, i, &all[i]);
  sym_scope_walk_free(&walk);
  return error;
}

void sym_instances_free(struct sym_instances *instances)
{
  base_vector_free(&instances->instances);
  base_vector_free(&instances->ranges);
}
