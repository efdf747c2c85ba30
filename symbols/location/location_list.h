/*
 * The entries of a variable's location list, one after the other, and those that hold at one place.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_LOCATION_LIST_H
#define CALLSIG_SYMBOLS_LOCATION_LOCATION_LIST_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "symbols/elf/list_bounds.h"

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
  struct sym_list_bounds bounds;
};

/* To the next entry, of a list that begins as {.attribute = ...}. False: there is none, or none that can be read. */
bool sym_location_list_next(struct sym_location_list *list);

/* As dwarf_getlocation_addr(). */
int sym_location_list_at(Dwarf_Attribute *attribute, Dwarf_Addr pc, Dwarf_Op **ops, size_t *counts, size_t most);

#endif
