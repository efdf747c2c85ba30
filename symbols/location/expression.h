/*
 * One simple DWARF location description (no pieces) made into capture ops.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_EXPRESSION_H
#define CALLSIG_SYMBOLS_LOCATION_EXPRESSION_H

#include "symbols/location/hook_registers.h"
#include "symbols/location/location.h"

/* The operations ops[0] to ops[count - 1] of the expression that `attribute` gave, as `location`; inner is 0. `size`
 * says how many of its low bytes will be asked for, at most. */
void sym_expression(const struct sym_location_context *context, enum sym_moment moment, Dwarf_Attribute *attribute,
                    const Dwarf_Op *ops, size_t count, uint64_t size, struct sym_location *location);

#endif
