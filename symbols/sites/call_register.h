/*
 * Whether a register from which the debug information tells an argument still holds that at the call.
 *
 * clang tells an argument from the register that it was copied or computed from, also where that was given another
 * value before the call.
 */
#ifndef CALLSIG_SYMBOLS_SITES_CALL_REGISTER_H
#define CALLSIG_SYMBOLS_SITES_CALL_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"

/* Follows the code from `low`, where an instruction begins, to the call that returns to `pc`: false where `source` is
 * written behind what fills the argument register `reg` last, by anything but a copy of that, or where the code is not
 * known. Both are DWARF numbers. True of processors of which no code is followed. */
bool sym_call_register_holds(const struct sym_hook *hook, uint64_t low, uint64_t pc, uint8_t reg, uint8_t source);

#endif
