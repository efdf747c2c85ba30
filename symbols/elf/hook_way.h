/*
 * Which calls lead to one of the two hooks, that of entries or that of exits.
 */
#ifndef CALLSIG_SYMBOLS_ELF_HOOK_WAY_H
#define CALLSIG_SYMBOLS_ELF_HOOK_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"
#include "symbols/processor/processor.h"

/* Whether the jump of a stub that leads to a hook is at the address, or the stub's first instruction. */
bool sym_hook_is_stub(const struct sym_hook *hook, uint64_t address);

/* Whether a call that goes this way calls a hook. */
bool sym_hook_leads_to(const struct sym_hook *hook, const struct sym_code_way *way);

#endif
