/* Who called code that is not profiled: the innermost return address on a thread's stack into code that is. */
#ifndef CALLSIG_CLI_BESIDE_CALLERS_H
#define CALLSIG_CLI_BESIDE_CALLERS_H

#include "cli/beside/code_map.h"
#include "symbols/base/addressmap.h"

/* Zero-initialise. */
struct cli_callers {
  struct sym_address_map profiled; /* by module (string): 1 it has sleds or calls hooks, 0 neither */
  struct sym_address_map returns;  /* by return address: 1 a call stands before it, 0 none */
};

/* Is the module one with functions that are profiled? A file that cannot be read is none. */
bool cli_callers_profiled(struct cli_callers *callers, const struct base_strings *strings, uint32_t module);

/* The first of the `count` words from the top of a stack that is a return address into a profiled module; 0: none. It
 * is told by the call instruction before it. A word that an ended call has left behind looks the same. */
uint64_t cli_callers_find(struct cli_callers *callers, const struct cli_code_map *map,
                          const struct base_strings *strings, const uint64_t *words, uint64_t count);

/* The code is mapped anew. */
void cli_callers_clear(struct cli_callers *callers);
void cli_callers_free(struct cli_callers *callers);

#endif
