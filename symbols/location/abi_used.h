/*
 * Whether a function uses what it was passed, by where DWARF says that its parameters are.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_ABI_USED_H
#define CALLSIG_SYMBOLS_LOCATION_ABI_USED_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether DWARF says anywhere in the function where any of the bytes from `first` to before `behind` of the parameter
 * are, as it does of what the function uses of what it was passed; `in_register`: not in the frame. */
bool sym_abi_is_used(Dwarf_Die *parameter, uint64_t first, uint64_t behind, bool in_register);

/* Whether the description that holds at `pc` ends before another begins: at the store of another value (clang 19 tells
 * the slot of a parameter that is set at once from the beginning on, and need not be passed it). */
bool sym_abi_is_interrupted(Dwarf_Die *parameter, Dwarf_Addr pc);

#endif
