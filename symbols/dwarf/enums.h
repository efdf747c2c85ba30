/*
 * Enumerations: their values and names, and whether they are sets of flags.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_ENUMS_H
#define CALLSIG_SYMBOLS_DWARF_ENUMS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"
#include "format/index.h"

/* The enumerators section while it is made; equal lists are kept once. Zero-initialise. */
struct sym_enumerators {
  struct fmt_index_enumerator *entries;
  uint32_t count, capacity;
  struct sym_enumerator_list *lists;
  uint32_t list_count, list_capacity;
};

/* Fills kind, sign, size and enumerators of `entry` from a DW_TAG_enumeration_type. -ENOMEM, -E2BIG. */
int sym_enumerators_describe(struct sym_enumerators *enumerators, struct base_strings *strings, Dwarf_Die *type,
                             struct fmt_index_type *entry);

/* Whether `count` enumerators, ascending by value, of a type of `size` bytes are flags; docs/rules.md states the rule.
 */
bool sym_enumerators_are_flags(const struct fmt_index_enumerator *entries, uint32_t count, uint32_t size);

/* Frees the section and the list of lists. */
void sym_enumerators_free(struct sym_enumerators *enumerators);

#endif
