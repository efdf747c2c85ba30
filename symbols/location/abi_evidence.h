/*
 * Whether the ABI may be asked where a function's arguments are.
 *
 * It may be asked only of a function that still has the interface of its source. gcc changes an interface only by
 * making a clone, whose symbol says so; clang also changes local functions in place, and then leaves what it has
 * removed without a location. What DWARF does tell is held against the ABI: where they differ in one parameter, the ABI
 * is asked for none.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_ABI_EVIDENCE_H
#define CALLSIG_SYMBOLS_LOCATION_ABI_EVIDENCE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "symbols/elf/symboltable.h"
#include "symbols/location/location.h"

/* Fills `abi` for the out-of-line subprogram `instance`, whose code begins with a sled that `context` is of.
 * context->abi is not used. `symbol` is the function's, or NULL. `is_gnu`: gcc compiled it. */
void sym_abi_of(const struct sym_location_context *context, Dwarf_Die *instance, const struct sym_symbol *symbol,
                bool is_gnu, struct sym_abi *abi);

/* Does the out-of-line subprogram `instance` return what its declaration says, where the ABI has it? Of a local
 * function clang drops what no caller uses, and leaves the declaration; gcc does so in clones. */
bool sym_abi_returns(Dwarf_Die *instance, const struct sym_symbol *symbol, bool is_gnu);

#endif
