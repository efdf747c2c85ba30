/*
 * Lists the out-of-line functions of a module by name, and finds the one that a hook is given.
 */
#include "symbols/verify/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* By name, and those of one name in the order of their units. */
static int compare(const void *left, const void *right)
{
  const struct vf_entry *a = left, *b = right;
  int order = strcmp(a->function->name, b->function->name);
  if (order == 0)
    order = (a->scope > b->scope) - (a->scope < b->scope);
  return order ? order : (a->address > b->address) - (a->address < b->address);
}

int vf_entries_list(struct vf_entries *entries, struct vf_module *module, struct vf_functions *functions)
{
  if (entries->all)
    return 0;
  entries->all = calloc(module->range_count + 1, sizeof *entries->all);
  if (!entries->all)
    return -ENOMEM;
  /* Of a function in several parts one is where it is entered: no hook is given another's address. */
  for (size_t i = 0; i < module->range_count; i++) {
    const struct vf_range *range = &module->ranges[i];
    struct vf_scope *scope = &module->scopes[range->scope];
    if (scope->is_inlined)
      continue;
    const struct vf_function *function = vf_function_of(module, functions, scope);
    if (!function)
      return -ENOMEM;
    entries->all[entries->count++] = (struct vf_entry){range->low, scope, function};
  }
  if (entries->count)
    qsort(entries->all, entries->count, sizeof *entries->all, compare);
  return 0;
}

/* The first one whose name is not less than `name`. */
static size_t first_of(const struct vf_entries *entries, const char *name)
{
  size_t low = 0, high = entries->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(entries->all[middle].function->name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_innermost(const struct vf_entered *entered, const struct vf_entry *entry)
{
  return entered->innermost && vf_is_same_overload(entry->function, entered->innermost);
}

struct vf_scope *vf_entries_other(const struct vf_entries *entries, const struct vf_code *code,
                                  const struct vf_entered *entered)
{
  const struct vf_entry *all = entries->all;
  size_t first = first_of(entries, entered->name), end = first;
  struct vf_scope *other = NULL;
  bool has_other = false;
  for (; end < entries->count && strcmp(all[end].function->name, entered->name) == 0; end++)
    has_other |= !is_innermost(entered, &all[end]);
  for (size_t i = first; has_other && i < end; i++) {
    bool is_own = is_innermost(entered, &all[i]);
    if ((!is_own && other) || !vf_argument_is(code, entered->low, entered->high, entered->call, all[i].address))
      continue;
    if (is_own)
      return NULL;
    other = all[i].scope;
  }
  return other;
}
