/*
 * Parameters that gcc took out of a clone, and describes all the same.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_CLONE_PARAMETERS_H
#define CALLSIG_SYMBOLS_LOCATION_CLONE_PARAMETERS_H

#include "symbols/location/location.h"

/* Whether the out-of-line clone that the site is of need not be passed the variable `die`, of which `attribute` is the
 * location list. gcc describes what it took out of a clone of a clone (f.constprop.0.isra.0) by the register that it
 * was passed in before: by what that held on entry, where what is passed begins as the register itself, or as that
 * register, in which another parameter is passed now. */
bool sym_clone_lacks(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute);

/* Whether what is told of a function that was inlined into a clone is the value on entry of a register that was that of
 * one of the clone's own parameters before it was taken out: another one may be passed there now. */
bool sym_clone_may_lack_entry(const struct sym_location_context *context, const struct sym_location *location);

/* Whether the site is of an out-of-line clone of which nothing tells what gcc took out of it: one that is made at the
 * link (-flto), or without tracking of what is passed (-fno-var-tracking-assignments). */
bool sym_clone_is_untracked(const struct sym_location_context *context);

/* Whether the variable `die` of such a clone is not told to be anywhere before the clone's first statement: it was
 * taken out, or is passed in parts, and what is told is what the clone sets it to. A parameter that the clone is passed
 * is told from its very beginning on, and so is what its first statement changes. */
bool sym_clone_sets(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Attribute *attribute);

#endif
