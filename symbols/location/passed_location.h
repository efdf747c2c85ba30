/*
 * What a function was passed in a register, where clang's hooks find it.
 *
 * clang binds parameters after the hook's call, and of a parameter that is set at once it tells the new value there.
 * What the caller put into a register is told by the ABI and by what holds at the function's first instruction; from
 * there to the call its copies are followed.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_PASSED_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_PASSED_LOCATION_H

#include "symbols/location/location.h"

/* `context`, of an out-of-line function's hook, as that of a sled at the function's first instruction. `frame` is
 * filled and belongs to the result. */
struct sym_location_context sym_context_at_entry(const struct sym_location_context *context, struct sym_frame *frame);

/* Whether what such a function was passed may be asked for: it was not inlined, and its code up to the call can be
 * followed. */
bool sym_has_passed_location(const struct sym_location_context *context);

/* Settles what DWARF tells of the call, `location`, of an optimised function of clang's; `passed` is what it tells in
 * sym_context_at_entry(). */
void sym_passed_location(const struct sym_location_context *context, Dwarf_Die *die, const struct sym_location *passed,
                         int64_t offset, uint64_t size, struct sym_location *location);

#endif
