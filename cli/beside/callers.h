/* Who called code that is not profiled: the innermost frame of a thread's stack in code that is. */
#ifndef CALLSIG_CLI_BESIDE_CALLERS_H
#define CALLSIG_CLI_BESIDE_CALLERS_H

#include "cli/beside/code_map.h"
#include "cli/beside/unwind.h"
#include "symbols/base/addressmap.h"

struct cli_callers {
  struct sym_address_map profiled; /* by module (string): 1 it has sleds or calls hooks, 0 neither */
  struct sym_address_map returns;  /* by return address: 1 a call stands before it, 0 none */
  struct cli_unwinder unwinder;
};

void cli_callers_init(struct cli_callers *callers);

/* Where the time of a thread with these registers belongs: of a library, at the call of it in profiled code, where that
 * is known; else where the thread is itself. Frames are walked by their call frame information. Where that ends (code
 * without it, a frame that is larger than what is known of the stack), the first word beyond that looks like a return
 * address into a profiled module is taken: it is told by the call instruction before it, and one that an ended call has
 * left behind looks the same. */
uint64_t cli_callers_of(struct cli_callers *callers, const struct cli_code_map *map, const struct base_strings *strings,
                        const struct cli_stack *stack, const struct cli_registers *registers);

/* The code is mapped anew. */
void cli_callers_clear(struct cli_callers *callers);
void cli_callers_free(struct cli_callers *callers);

#endif
