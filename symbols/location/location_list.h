/*
 * The entries of a variable's location list, one after the other.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_LOCATION_LIST_H
#define CALLSIG_SYMBOLS_LOCATION_LOCATION_LIST_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/* Files say how long a list is: no more entries are looked at. */
#define SYM_LIST_MOST 256u

struct sym_location_list {
  Dwarf_Attribute *attribute;
  Dwarf_Addr base, start, end; /* of the entry */
  Dwarf_Op *ops;
  size_t count; /* of the ops */
  ptrdiff_t next;
  unsigned seen;
  bool is_cut; /* there may be more entries than were looked at */
};

/* To the next entry, of a list that begins as {.attribute = ...}. False: there is none, or none that can be read. */
static inline bool sym_location_list_next(struct sym_location_list *list)
{
  list->is_cut = list->seen++ == SYM_LIST_MOST;
  if (list->is_cut)
    return false;
  list->next =
      dwarf_getlocations(list->attribute, list->next, &list->base, &list->start, &list->end, &list->ops, &list->count);
  return list->next > 0;
}

#endif
