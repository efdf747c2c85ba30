/*
 * Locations at a sled: at the first instruction of a function, before any of its own code has run.
 *
 * Compilers describe a parameter's home from the first instruction on, also where it is written to that home later: a
 * slot of the frame, which does not exist yet, or a register that belongs to the caller until it is saved. Here such a
 * description tells nothing. What is there is what the caller put there: the argument registers, and the words at and
 * above the canonical frame address.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_SLED_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_SLED_LOCATION_H

#include "symbols/location/location.h"

/* Whether a register that DWARF names may hold something of the function's own: always at a call of the hook; at a sled
 * only those in which arguments are passed. The others are the caller's, also where the debug information names one
 * that the first instructions fill (gcc 12 does, in ZSTD_compressBegin_advanced of zstd). */
bool sym_is_there_at_entry(const struct sym_location_context *context, uint64_t reg);

/* Loses a location at a sled that leads through the function's own frame. */
void sym_sled_settle(struct sym_location *location);

#endif
