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

/* Whether the function may set its parameter `die` at once, so that a constant that is told of it may be another than
 * was passed. It does not where the parameter is const, or where its out-of-line copy has it in a register
 * when its hook returns. */
bool sym_inlined_may_set(const struct sym_location_context *context, Dwarf_Die *die);

#endif
