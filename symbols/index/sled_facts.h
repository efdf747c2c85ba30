/*
 * What clang's list of sleds does not say of a function, and its code and debug information do: whether it calls
 * anything, and which registers are nobody's where a hook runs.
 *
 * Taken for granted is what is so of every function that clang compiles from C or C++: a jump to another function has a
 * sled of its own (TAIL), or its target is in the instruction; a function without a convention of its own, which the
 * debug information names, is entered and left with nothing in r10, r11 and, unless it is variadic, rax; a symbol that
 * is global at the end was never rebuilt, so its arguments lie where the ABI has them.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_SLED_FACTS_H
#define CALLSIG_SYMBOLS_INDEX_SLED_FACTS_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "symbols/elf/hook.h"
#include "symbols/elf/symboltable.h"
#include "symbols/location/abi.h"
#include "symbols/sites/sleds.h"

/* Flags (enum fmt_sled_flag) of the sleds of the out-of-line function `instance`, whose symbol is `symbol`, or NULL,
 * and whose arguments are passed as `abi` says. 0 for what clang did not compile. */
uint8_t sym_sled_facts(const struct sym_hook *hook, const struct sym_sleds *sleds, Dwarf_Die *instance,
                       const struct sym_symbol *symbol, const struct sym_abi *abi);

#endif
