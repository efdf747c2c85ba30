/*
 * Whose entry a probe site reports: the function address that the code passes to the hook.
 *
 * At every site rdi is the address of a function, a constant of the program text: a lea, a mov of a constant or of a
 * slot of the global offset table, often kept in a register or in the frame from an earlier place of the function.
 * Which one it is is found by following function addresses through all of the function's code until nothing changes
 * (constant propagation over the control flow graph, as in Kildall, POPL 1973). DWARF's scopes alone do not tell: the
 * scheduler moves calls across their borders, and inlined functions without debug information have none.
 */
#ifndef CALLSIG_SYMBOLS_IDENTITY_H
#define CALLSIG_SYMBOLS_IDENTITY_H

#include <stdint.h>

#include "hook.h"
#include "vector.h"

/* A range of code; ranges of one function, which jump into each other, have the same group and follow each other. */
struct cs_code_span {
  uint64_t group;
  uint64_t low, high;
};

/* Writes the address passed at each of `sites` (struct cs_found_site) into `functions`, 0 where it cannot be told or
 * the site lies in no span. `spans` are struct cs_code_span. -ENOMEM. */
int cs_identities_find(const struct cs_hook *hook, const struct cs_vector *sites, const struct cs_vector *spans,
                       uint64_t *functions);

#endif
