/*
 * Enumerations: their values and names, and whether they are sets of flags.
 */
#ifndef CALLSIG_SYMBOLS_ENUMS_H
#define CALLSIG_SYMBOLS_ENUMS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "callsig/format/index.h"
#include "strings.h"

/* The enumerators section while it is made; equal lists are kept once. Zero-initialise. */
struct cs_enumerators {
  struct cs_index_enumerator *entries;
  uint32_t count, capacity;
  struct cs_enumerator_list *lists;
  uint32_t list_count, list_capacity;
};

/* Fills kind, sign, size and enumerators of `entry` from a DW_TAG_enumeration_type. -ENOMEM, -E2BIG. */
int cs_enumerators_describe(struct cs_enumerators *enumerators, struct cs_strings *strings, Dwarf_Die *type,
                            struct cs_index_type *entry);

/* Whether `count` enumerators, ascending by value, of a type of `size` bytes are flags; docs/rules.md states the rule.
 */
bool cs_enumerators_are_flags(const struct cs_index_enumerator *entries, uint32_t count, uint32_t size);

void cs_enumerators_free(struct cs_enumerators *enumerators);

#endif
