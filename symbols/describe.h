/*
 * A whole DWARF location description, pieces and all.
 */
#ifndef CALLSIG_SYMBOLS_DESCRIBE_H
#define CALLSIG_SYMBOLS_DESCRIBE_H

#include "expression.h"

/* Where the `size` bytes lie that begin `offset` bytes into what the `count` operations describe. Parts of one value of
 * at most 8 bytes in different pieces are put together as CS_LOCATION_VALUE. */
void cs_describe(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Attribute *attribute,
                 const Dwarf_Op *ops, size_t count, int64_t offset, uint64_t size, struct cs_location *location);

#endif
