/*
 * Whose entry a probe site reports: the function address that the code passes to the hook.
 *
 * At every site rdi is the address of a function, a constant of the program text: a lea, a mov of a constant or of a
 * slot of the global offset table, often kept in a register or in the frame from an earlier place of the function.
 * Which one it is is found by following function addresses through all of the function's code until nothing changes
 * (constant propagation over the control flow graph, as in Kildall, POPL 1973). DWARF's scopes alone do not tell: the
 * scheduler moves calls across their borders, and inlined functions without debug information have none.
 */
#ifndef CALLSIG_SYMBOLS_SITES_SITE_FUNCTION_H
#define CALLSIG_SYMBOLS_SITES_SITE_FUNCTION_H

#include <stdint.h>

#include "base/vector.h"
#include "symbols/elf/hook.h"

/* A range of code; ranges of one function, which jump into each other, have the same group and follow each other. */
struct sym_code_span {
  uint64_t group;
  uint64_t low, high;
};

/* Writes the address passed at each of `sites` (struct sym_found_site) into `functions`, 0 where it cannot be told or
 * the site lies in no span. `spans` are struct sym_code_span. -ENOMEM. */
int sym_site_functions_find(const struct sym_hook *hook, const struct base_vector *sites,
                            const struct base_vector *spans, uint64_t *functions);

#endif
