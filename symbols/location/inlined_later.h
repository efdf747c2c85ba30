/*
 * What is told of an inlined function's parameter behind the hook's call alone, where the function never changes it: it
 * is what was passed, wherever it is told.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_INLINED_LATER_H
#define CALLSIG_SYMBOLS_LOCATION_INLINED_LATER_H

#include "symbols/location/location.h"

/* Of a parameter that the copy keeps, and that is lost: the first place behind the call where the instance tells of it,
 * traced back to what the hook sees; where it is told at the call, but cannot be read there, only a constant. Other
 * calls may lie between, but none of the hook for the same function, as in a loop that was unrolled. False: there is
 * none, or it cannot be traced. */
bool sym_inlined_later(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset, uint64_t size,
                       struct sym_location *location);

#endif
