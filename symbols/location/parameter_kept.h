/*
 * Whether a function changes its parameter, told by its out-of-line copy.
 *
 * Debug information tells the values of a variable from instruction to instruction. What a function makes of its
 * parameter before its first instruction is not told apart from what it was passed: the optimiser has folded it. Where
 * the function was inlined all that it computes may be folded so. In the copy, which the ABI passes its parameters and
 * where nothing is known of them, changes are seen: as another value that is told, or as an instruction that writes
 * where the parameter is told to be.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_PARAMETER_KEPT_H
#define CALLSIG_SYMBOLS_LOCATION_PARAMETER_KEPT_H

#include "base/vector.h"
#include "symbols/base/addressmap.h"
#include "symbols/location/location.h"

enum sym_kept {
  SYM_KEPT_UNKNOWN, /* there is no copy that can be examined */
  SYM_KEPT, /* wherever the copy tells of the parameter, and it does so all the while, that is what it was passed */
  SYM_KEPT_UNCHANGED, /* no change was seen, but not all is told */
  SYM_KEPT_SET, /* somewhere it is another value, or is told to be on entry where the caller does not put it: where the
                   function was inlined that may have become what is told of the call */
};

/* What was found of each copy's parameters. Zero-initialise. */
struct sym_kept_parameters {
  struct sym_address_map known; /* from the parameter's DIE to the number of its entry */
  struct base_vector entries;
};

void sym_kept_parameters_free(struct sym_kept_parameters *parameters);

/* The bits of a parameter that the copy's code looks at; 0: none were seen. */
uint64_t sym_parameter_bits(const struct sym_location_context *context, Dwarf_Die *die);

/* `die`: the parameter of an instance that was inlined, of which context->whole is the copy, and where that is told to
 * be. Where the instance itself is seen to change it later it is unchanged rather than set. x86-64 alone. */
enum sym_kept sym_parameter_kept(const struct sym_location_context *context, Dwarf_Die *die,
                                 const struct sym_location *location);

/* Whether the copy stores the parameter outside of its frame, or passes it to what it calls, as it is, and the instance
 * does that with what lies in `registers` (their bits). Slots of the function's frame are told from `frame`. */
bool sym_parameter_goes_on(const struct sym_location_context *context, Dwarf_Die *die, uint64_t registers,
                           uint64_t frame);

/* Whether the copy's code does not look at where the `size` bytes are passed that begin `offset` bytes into the
 * parameter. */
bool sym_parameter_is_unread(const struct sym_location_context *context, Dwarf_Die *die, int64_t offset, uint64_t size);

#endif
