/*
 * Whether a piece of code keeps to itself: read from end to end, nothing in it calls.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_SELF_CONTAINED_H
#define CALLSIG_SYMBOLS_FLOW_SELF_CONTAINED_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"

/* Whether every instruction from `low` to `high` is known, and none calls, asks the kernel, or names a place outside
 * that it jumps to. Jumps through a register or memory may lead anywhere, and are not looked at: whoever asks knows by
 * other means that they are those of a switch. */
bool sym_code_is_self_contained(const struct sym_hook *hook, uint64_t low, uint64_t high);

#endif
