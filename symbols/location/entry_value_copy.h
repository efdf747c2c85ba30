/*
 * Copies of what a register held when a function was entered.
 *
 * DWARF often tells a parameter as the entry value of its argument register alone although the prologue has copied it:
 * gcc sign-extends a char or short into another register and no longer calls that the parameter. Straight code from the
 * function's entry to the hook's call is followed, and what still holds the value, or its low bytes, at the call is it.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_ENTRY_VALUE_COPY_H
#define CALLSIG_SYMBOLS_LOCATION_ENTRY_VALUE_COPY_H

#include "symbols/location/location.h"

/* Appends ops that push what argument register `reg` held on entry, and returns how many of its low bytes they tell: 0,
 * without ops, when no copy is found. */
uint8_t sym_entry_value_copy(const struct sym_location_context *context, unsigned reg, struct sym_code *code);

#endif
