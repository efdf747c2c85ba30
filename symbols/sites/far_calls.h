/*
 * Calls of the hook by way of a register: what compilers write with -mcmodel=large, where no displacement of 32 bits is
 * trusted to reach.
 */
#ifndef CALLSIG_SYMBOLS_SITES_FAR_CALLS_H
#define CALLSIG_SYMBOLS_SITES_FAR_CALLS_H

#include "base/vector.h"
#include "symbols/elf/hook.h"

/* Adds the far calls of the hook in a section to `sites` (struct sym_found_site), in any order, and possibly twice:
 * where a 64-bit constant is the hook's address, or its distance from the global offset table, the calls through the
 * registers that it goes to. One that is none of the hook's does no harm: the hook is never called with its return
 * address. -ENOMEM. */
int sym_far_calls_find(const struct sym_hook *hook, const struct sym_code_bytes *section, struct base_vector *sites);

#endif
