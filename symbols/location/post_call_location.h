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

/* For a slot of an inlined function's: replaces it by what straight code after the call stores there first, where it
 * does while `attribute` tells of the slot, and that is not made of what lies there. False: it is not known to hold
 * what was passed. What is stored is computed; or nothing is seen to be, and the slot is one whose address the function
 * forms, as it may be a home that is filled after the call. A spill's is not formed, and where a value is spilled DWARF
 * tells it after that. */
bool sym_post_call_stored(const struct sym_location_context *context, Dwarf_Attribute *attribute, uint64_t size,
                          struct sym_location *location);

/* Loses what was computed since the call, by instructions or by the description: it may be what the function has made
 * of its parameter. So is a number, which would be told from the call on. Of a pointer to which a
 * constant was added, it is still known whether it is NULL. */
void sym_post_call_settle(const struct sym_location_context *context, struct sym_location *location);

/* The first entry of a location list that begins after the call and is reached by straight code, followed back to the
 * hook. Only what was copied since then counts; of a pointer that was moved by a constant, whether it is NULL. */
void sym_post_call_location(const struct sym_location_context *context, Dwarf_Attribute *attribute, int64_t offset,
                            uint64_t size, struct sym_location *location);

/* Whether the location is something in memory outside of the frame. What was passed is loaded from there before the
 * call, as the hook may write there. */
bool sym_post_call_is_elsewhere(const struct sym_location *location);

#endif
