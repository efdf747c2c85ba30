/*
 * Where a variable is at a probe site: DWARF location descriptions made into capture ops.
 *
 * A description is evaluated at the first byte of the call of the hook, with the registers that the hook's first
 * instruction sees: they are the same. (Not at PC = site - 1, as debuggers do for a caller: what a call does not keep
 * ends one byte before the return address, and is still there at the hook; that PC is asked second.) Where DWARF has
 * nothing there, code made by clang, which binds parameters after the hook's call, is evaluated right after the call
 * (PC = site), and taken if it needs only what a call leaves alone: callee-saved registers, memory and constants. Last
 * comes the next place that straight code leads to (post_call_location.h), from which only copies are taken: what was
 * computed since the call may be a new value of the parameter. Whatever is not understood is lost; nothing is guessed.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_LOCATE_H
#define CALLSIG_SYMBOLS_LOCATION_LOCATE_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "symbols/location/location.h"

/* Where the `size` bytes lie that begin `offset` bytes into the variable `die` (a formal_parameter or variable of any
 * instance; `abstract`, its declaration, gives a constant value that only that has, and may be NULL). Parts of one
 * value of at most 8 bytes that lie in different pieces are put together as SYM_LOCATION_VALUE. */
void sym_locate(const struct sym_location_context *context, Dwarf_Die *die, Dwarf_Die *abstract, int64_t offset,
                uint64_t size, struct sym_location *location);

#endif
