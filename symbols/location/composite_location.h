/*
 * A whole DWARF location description, pieces and all.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_COMPOSITE_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_COMPOSITE_LOCATION_H

#include "symbols/location/expression.h"

/* Where the `size` bytes lie that begin `offset` bytes into what the `count` operations describe. Parts of one value of
 * at most 8 bytes in different pieces are put together as SYM_LOCATION_VALUE. */
void sym_composite_location(const struct sym_location_context *context, enum sym_moment moment,
                            Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count, int64_t offset,
                            uint64_t size, struct sym_location *location);

/* Loses memory of the own frame of a function that is not inlined, the `size` bytes of it that are asked for, where
 * nothing has been stored there when the hook is called. */
void sym_settle_unfilled(const struct sym_location_context *context, uint64_t size, struct sym_location *location);

#endif
