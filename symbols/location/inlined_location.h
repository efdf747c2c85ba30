/*
 * What clang tells of the parameters of inlined functions, and what of that the function may have made itself.
 *
 * clang puts the hook's call before everything else of a function, the binding of its parameters too, and of bindings
 * that follow each other it keeps the last.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_INLINED_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_INLINED_LOCATION_H

#include "symbols/location/location.h"

/* Whether what a list tells at the hook's call begins between the first instruction of the inlined function and the
 * call: it belongs behind the call, and is what was computed before the time came. */
bool sym_inlined_is_early(const struct sym_location_context *context, Dwarf_Attribute *attribute);

/* Whether what is told of a parameter of an optimised function that was inlined may be what the function makes of it. A
 * number is what was passed where the parameter cannot be assigned to, or the function's out-of-line copy keeps it;
 * what is kept anywhere else is not, where the copy changes it. */
bool sym_inlined_may_be_made(const struct sym_location_context *context, Dwarf_Die *die,
                             const struct sym_location *location);

/* Whether what is told of the `size` bytes that begin `offset` bytes into a parameter, which its function does not look
 * at, may be another value: a number that gcc tells,
 * which takes such a parameter out of the clone that it inlines, and tells what it remembers of its callers; and a
 * place where another parameter is told to be. Of functions of C++ that other units may define, too, gcc makes few
 * clones: what the libraries' templates do not look at is mostly the number that is told. */
bool sym_inlined_may_be_stale(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset, uint64_t size,
                              const struct sym_location *location);

/* Whether the parameter is what was passed all the while: it cannot be assigned to, or the function's out-of-line copy
 * tells of it everywhere and never changes it. */
bool sym_inlined_keeps(const struct sym_location_context *context, Dwarf_Die *die, const struct sym_location *location);

#endif
