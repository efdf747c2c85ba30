/*
 * What clang tells of a value that it has spilled: where it tells 8 bytes of a slot that has 4, the others are
 * something else. So it is where it computes with 8 of them, and bits of the result come from there.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_SPILLED_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_SPILLED_LOCATION_H

#include "symbols/location/location.h"

/* Loses a variable of `size` bytes that `location` describes so. */
void sym_settle_spilled(const struct sym_location_context *context, uint64_t size, struct sym_location *location);

#endif
