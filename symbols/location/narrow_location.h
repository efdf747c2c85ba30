/*
 * What clang tells of a parameter of which its function looks at some low bits alone.
 *
 * The optimiser computes no more than these: where it was inlined the others may be anything, in what is told as
 * computed (x + 63 for x - 1 where six bits are needed), and in a register for which something else was computed (a
 * loop's variable four times over, where the function takes the bits that an address in an array is made of).
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_NARROW_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_NARROW_LOCATION_H

#include "symbols/location/location.h"

/* Whether where the parameter `die` of an inlined instance is told to be holds such bits perhaps, and no more. Numbers
 * are not looked at: most of them are flags. */
bool sym_may_be_narrowed(const struct sym_location_context *context, Dwarf_Die *die,
                         const struct sym_location *location);

/* Whether what the parameter `die` of an inlined instance is told to be made of is one bit that the function around it
 * has computed, and perhaps the opposite. The optimiser computes that in the place of a truth where all that look at
 * it, as jumps do, can do with it, and clang goes on telling the register for the truth. What the function stores or
 * passes on as it is, in its copy and in the instance, is no opposite. */
bool sym_may_be_inverted(const struct sym_location_context *context, Dwarf_Die *die,
                         const struct sym_location *location);

#endif
