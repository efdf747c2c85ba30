/*
 * Which instructions of a module do nothing but call a hook. Where a profiled program is met there, its time is the
 * hooks': without them there is a no-op, or nothing at all.
 */
#ifndef CALLSIG_SYMBOLS_SITES_HOOK_CALLS_H
#define CALLSIG_SYMBOLS_SITES_HOOK_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"
#include "symbols/sites/sleds.h"

/* Whether the instruction at the link-time address is a sled, a call of one of the two hooks, or of a stub that jumps
 * to one; or the address is the last byte of such a call, as that before a return address is. A jump to the exit hook
 * is none: it stands for a return. Without `sleds` these are the program's own: they are switched off. */
bool sym_is_hook_call(const struct sym_hook *hook, const struct sym_sleds *sleds, uint64_t address);

#endif
