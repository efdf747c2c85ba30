/* Who called code that is not profiled: the innermost frame of a thread's stack in code that is. */
#ifndef CALLSIG_CLI_BESIDE_CALLERS_H
#define CALLSIG_CLI_BESIDE_CALLERS_H

#include "cli/beside/code_map.h"
#include "cli/beside/samples.h"
#include "cli/beside/unwind.h"
#include "symbols/base/addressmap.h"
#include "symbols/sites/profiled_code.h"

/* Which files have profiled code. */
struct cli_profiled {
  bool (*is_profiled)(const char *path, void *data);
  void *data;
};

struct cli_callers {
  struct cli_profiled files;
  struct sym_address_map profiled; /* by module (string): 1 it has profiled code, 0 none */
  struct sym_address_map returns;  /* by return address: 1 a call stands before it, 0 none */
  struct base_vector codes;        /* struct sym_profiled_code *: of files, NULL where nothing is known */
  struct sym_address_map code_of;  /* by module (string) */
  struct sym_address_map others;   /* by address: 1 it is in a function without hooks, 0 not */
  struct cli_unwinder unwinder;
};

/* Without `files`, those that have sleds or call hooks. */
void cli_callers_init(struct cli_callers *callers, const struct cli_profiled *files);

/* Where the time of a thread with these registers belongs: of a library, or of a function without hooks in a profiled
 * file (symbols/sites/profiled_code.h), at the call of it in profiled code, where that is known; else where the thread
 * is itself. Frames are walked by their call frame information. Where that ends (code
 * without it, a frame that is larger than what is known of the stack), the first word beyond that looks like a return
 * address into profiled code is taken: it is told by the call instruction before it, and one that an ended call has
 * left behind looks the same. */
uint64_t cli_callers_of(struct cli_callers *callers, const struct cli_code_map *map, const struct base_strings *strings,
                        const struct cli_stack *stack, const struct cli_registers *registers);

/* Is that place known, as far as the map tells: is it in profiled code, or callsig's own? */
bool cli_callers_knows(struct cli_callers *callers, const struct cli_code_map *map, const struct base_strings *strings,
                       const struct cli_stack *stack, const struct cli_registers *registers);

/* Counts a sample of a thread with these registers, without a stack of the place that it is at. -ENOMEM. */
int cli_callers_count(struct cli_callers *callers, const struct cli_code_map *map, const struct cli_stack *stack,
                      const struct cli_registers *registers, struct cli_samples *samples);

/* The code is mapped anew. */
void cli_callers_clear(struct cli_callers *callers);
void cli_callers_free(struct cli_callers *callers);

#endif
