/*
 * Parameters that gcc took out of a clone, by what the clone's callers tell of them: clone_calls.h.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_CALLER_CONSTANT_H
#define CALLSIG_SYMBOLS_LOCATION_CALLER_CONSTANT_H

#include "symbols/location/location.h"

/* Holds `location`, the `size` bytes that begin `offset` bytes into the variable `die` of an out-of-line clone, against
 * what its callers tell. What they tell of is not passed: no register and no place holds it. A constant that the clone
 * tells is what was passed where the callers tell the same, or nothing and the clone was made for constants
 * (f.constprop.0); and else what the function sets the parameter to. Where all
 * callers tell one constant, that is it, where none can have told the constant of another call. */
void sym_caller_constant_settle(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset,
                                uint64_t size, struct sym_location *location);

#endif
