/*
 * What clang tells of an inlined function's parameter at the hook's call, and what belongs to the copy of the function
 * before, of a loop that was unrolled.
 *
 * The copies share their debug information. The value of one is told until the parameter is bound again in the next,
 * and goes on to be told there where the optimiser has lost that binding.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_EARLIER_COPY_H
#define CALLSIG_SYMBOLS_LOCATION_EARLIER_COPY_H

#include "symbols/location/location.h"

/* Whether what a list tells from before the hook's call on is of the copy before: it ends there, or is followed by
 * another description before the next call, or begins in that copy where the function has bound its parameters, or is a
 * number that ends in this copy. */
bool sym_inlined_is_stale(const struct sym_location_context *context, Dwarf_Attribute *attribute);

#endif
