/*
 * DWARF types as the index prints them. docs/rules.md says how each is spelled.
 *
 * A table belongs to one build; types are kept once by content, so equal types of different units share an entry.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_TYPES_H
#define CALLSIG_SYMBOLS_DWARF_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "format/index.h"

struct sym_types;

/* An empty table whose names go to `strings` (borrowed). NULL when memory is short. */
struct sym_types *sym_types_new(struct base_strings *strings);
void sym_types_free(struct sym_types *types);

/* Writes the entry of the type `die` into `type`; a NULL `die` is void. -ENOMEM or -E2BIG. A DIE that libdw cannot read
 * is the type "?" of kind FMT_TYPE_UNKNOWN. */
int sym_types_add(struct sym_types *types, Dwarf_Die *die, uint32_t *type);

/* The type of an array of `count` elements of `element` (an index of the same table), "float[16]". */
int sym_types_add_array(struct sym_types *types, uint32_t element, uint64_t count, uint32_t *type);

/* The type of a pointer to `target` (an index of the same table), "float*". */
int sym_types_add_pointer(struct sym_types *types, uint32_t target, uint32_t *type);

/* The type of a number of elements between two places: ptrdiff_t. */
int sym_types_add_difference(struct sym_types *types, uint32_t *type);

/* A copy of `type` under another name: how a rule calls it. */
int sym_types_add_renamed(struct sym_types *types, uint32_t type, const char *name, uint32_t *renamed);

/* An entry; valid until the next addition. */
const struct fmt_index_type *sym_types_at(const struct sym_types *types, uint32_t type);

/* The two sections as they are to be written. Valid until the next addition. */
const struct fmt_index_type *sym_types_entries(const struct sym_types *types, uint32_t *count);
const struct fmt_index_enumerator *sym_types_enumerators(const struct sym_types *types, uint32_t *count);

/* sym_typename_qualified(), as the index prints it; the name belongs to the table. A DIE without a name gives
 * "(anonymous)". */
const char *sym_types_qualified_name(struct sym_types *types, Dwarf_Die *die);

#endif
