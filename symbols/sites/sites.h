/*
 * Probe sites: the return addresses of the calls of __cyg_profile_func_enter.
 *
 * They are found by scanning the executable sections for the byte patterns of a direct call (e8, also behind the 67
 * prefix that the linker's relaxation leaves) whose 32-bit displacement leads exactly to the hook or one of its stubs,
 * and of a call through a slot (ff 15) whose displacement leads exactly to one of the hook's slots. A pattern inside
 * another instruction would have to match one of these few addresses in all 32 bits, and even then nothing ever calls
 * the hook with that return address, so such a site is never looked up. Calls through a register are found where
 * straight code leads to them from a 64-bit constant (far_calls.h); others are missing from the index, and the run time
 * counts their calls by the function's address alone.
 */
#ifndef CALLSIG_SYMBOLS_SITES_SITES_H
#define CALLSIG_SYMBOLS_SITES_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "symbols/elf/hook.h"

struct sym_found_site {
  uint64_t pc;       /* the return address */
  uint64_t call;     /* the first byte of the call instruction, or of the sled */
  uint64_t sled_end; /* of a sled: the first byte behind it, else 0 */
  uint64_t function; /* of a sled: the function's address */
  bool is_lazy; /* the first call of the module goes through the lazy resolver, which keeps neither rax, r10 nor r11 */
};

/* Whether the site is an entry sled: registers and memory are those of the function's first instruction. */
static inline bool sym_is_sled(const struct sym_found_site *site)
{
  return site->sled_end != 0;
}

/* Fills `sites` (struct sym_found_site, ascending by pc). -ENOMEM. */
int sym_sites_find(const struct sym_hook *hook, struct base_vector *sites);

/* The function of this module that the call which returns to `pc` leads to, directly or through a stub or slot; 0 when
 * the call does not say. Another module may put its own function in the place of one reached through a slot. */
uint64_t sym_call_target(const struct sym_hook *hook, uint64_t pc);

#endif
