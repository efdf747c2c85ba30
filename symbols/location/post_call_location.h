/*
 * Parameters whose place DWARF tells only for a time after the hook's call.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_POST_CALL_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_POST_CALL_LOCATION_H

#include "symbols/location/location.h"

/*
 * For a description that gives a parameter one home for all its scope, from a compiler that writes it there after the
 * hook's call. Where `location` is a slot of the frame, or begins with a load from one, the slot is replaced by what
 * the first store to it puts there; slots in the caller's frame (arguments on the stack) are filled already. What is
 * not found is lost.
 */
void sym_post_call_home(const struct sym_location_context *context, uint64_t size, struct sym_location *location);

/* The first entry of a location list that begins after the call and is reached by straight code, followed back to the
 * hook. Only what was copied since then counts; of a pointer that was moved by a constant, whether it is NULL. */
void sym_post_call_location(const struct sym_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                            uint64_t size, struct sym_location *location);

#endif
