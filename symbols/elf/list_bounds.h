/*
 * Whether libdw stays within a section when it is asked for a list of locations or of ranges.
 *
 * libdw (0.188) checks neither the length of a description in .debug_loclists, where it has all 64 bits, nor where the
 * table of such a section says that a list begins, where its offsets have 64 bits: a damaged file has it read anywhere
 * in memory. What is here reads the same bytes first.
 */
#ifndef CALLSIG_SYMBOLS_ELF_LIST_BOUNDS_H
#define CALLSIG_SYMBOLS_ELF_LIST_BOUNDS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/base/bytes.h"

struct sym_list_bounds {
  const uint8_t *section, *end; /* of descriptions that must be looked at; NULL: of anything else */
  uint64_t offset;              /* where the list begins in it */
  uint8_t address_size;
};

/* Finds where the list of an attribute of a location begins, which may be a single description. False: libdw must not
 * be asked for it. */
bool sym_list_bounds_find(Dwarf_Attribute *attribute, struct sym_list_bounds *bounds);

/* Whether the next `most` locations lie within the section, or all up to the end of the list. `offset` is what
 * dwarf_getlocations() is given: 0 for the first one. */
bool sym_list_bounds_hold(const struct sym_list_bounds *bounds, ptrdiff_t offset, unsigned most);

/* The bytes from where a list of views begins, the value of DW_AT_GNU_locviews, to the end of its section: of each
 * location of a list, in their order, two numbers, the views of its beginning and of its end. False: there are none. */
bool sym_list_views(Dwarf_Attribute *attribute, struct sym_bytes *views);

/* What is remembered of debug information counts no more: some is closed. */
void sym_list_bounds_forget(void);

/* As dwarf_ranges(): every list of ranges is read by this. */
ptrdiff_t sym_ranges_next(Dwarf_Die *die, ptrdiff_t offset, Dwarf_Addr *base, Dwarf_Addr *low, Dwarf_Addr *high);

#endif
