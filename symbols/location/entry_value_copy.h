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

/* Whether the low `size` bytes of register `at_call` are at the call what those of argument register `reg` were on
 * entry, as far as can be told: straight code has to lead there. */
bool sym_entry_register_is_kept(const struct sym_location_context *context, unsigned reg, unsigned at_call,
                                uint64_t size);

/* Whether no store between the function's first instruction and the call, which straight code leads to, puts anything
 * into the `size` bytes at what register `base` holds at the call plus `offset`, and no caller has: they lie in the
 * function's own frame. */
bool sym_entry_leaves_empty(const struct sym_location_context *context, unsigned base, int64_t offset, uint8_t size);

/* Whether the last store there puts what a register that may pass a parameter held on entry. */
bool sym_entry_fills(const struct sym_location_context *context, unsigned base, int64_t offset, uint8_t size);

/* Whether the code from the function's first instruction to the call can be followed. */
bool sym_entry_leads_to_call(const struct sym_location_context *context);

#endif
