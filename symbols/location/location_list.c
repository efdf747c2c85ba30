/*
 * Reads location lists with libdw, as far as that stays within them.
 */
#include "symbols/location/location_list.h"

#include <limits.h>

bool sym_location_list_next(struct sym_location_list *list)
{
  list->is_cut = list->seen++ == SYM_LIST_MOST;
  if (list->is_cut || (list->next == 0 && !sym_list_bounds_find(list->attribute, &list->bounds)) ||
      !sym_list_bounds_hold(&list->bounds, list->next, 1))
    return false;
  list->next =
      dwarf_getlocations(list->attribute, list->next, &list->base, &list->start, &list->end, &list->ops, &list->count);
  return list->next > 0;
}

int sym_location_list_at(Dwarf_Attribute *attribute, Dwarf_Addr pc, Dwarf_Op **ops, size_t *counts, size_t most)
{
  struct sym_list_bounds bounds;
  if (!sym_list_bounds_find(attribute, &bounds) || !sym_list_bounds_hold(&bounds, 0, UINT_MAX))
    return -1;
  return dwarf_getlocation_addr(attribute, pc, ops, counts, most);
}
