/*
 * What clang tells from the register of a loop's counter.
 *
 * Where a loop counts an index, the optimiser counts what is made of it, in eights for the elements of an array, and
 * tells the loop's variable as a quotient of that. What is told by more than a place it forgets to divide: an argument
 * i << 1 is told as twice the counter.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_LOOP_COUNTER_H
#define CALLSIG_SYMBOLS_LOCATION_LOOP_COUNTER_H

#include "symbols/location/location.h"

/* Whether a value is computed, without a division, with a register of which at the hook's call a variable around the
 * instance, or of it, is told to be a quotient. */
bool sym_may_be_undivided(const struct sym_location_context *context, const struct sym_location *location);

#endif
