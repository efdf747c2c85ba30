/*
 * The cardinality limit: how many signatures a function may have in one thread, and what happens beyond.
 */
#ifndef CALLSIG_PROFILER_TREE_CARDINALITY_LIMIT_H
#define CALLSIG_PROFILER_TREE_CARDINALITY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/open.h"
#include "format/recording.h"
#include "profiler/base/tree_store.h"

/* Distinct signatures of a function in a thread, counted as its levels make them. */
#define PROF_CARDINALITY_BUDGET 256u

/* One enum fmt_widening an arg of the function, or NULL while none is widened. They change in place. Anywhere. */
static inline const uint8_t *prof_function_levels(const struct fmt_rec_function *function)
{
  return function->levels ? (const uint8_t *)((const struct fmt_rec_name *)function->levels)->text : NULL;
}

/* Applies the function's levels to a signature's words in place, and gives the new number of words. Anywhere. */
uint32_t prof_cardinality_widen(const struct fmt_index_function *function_info, const struct fmt_index *index,
                                const struct fmt_rec_function *function, uint64_t *words, uint32_t count);

/* Lets a signature in: one that is known, or within the budget, as it is; otherwise the function's most varied arg
 * widens until the budget holds, and `words` with it. False: no space. */
bool prof_cardinality_admit(struct prof_tree *tree, const struct fmt_index_function *function_info,
                            const struct fmt_index *index, struct fmt_rec_function *function, uint64_t *words,
                            uint32_t *count);

/* The same for a signature that was recorded before, by the index in the recording. */
bool prof_cardinality_admit_recorded(struct prof_tree *tree, const struct fmt_rec_module *module,
                                     struct fmt_rec_function *function, uint64_t *words, uint32_t *count);

/* Raises the function's levels to at least these. False: no space. */
bool prof_cardinality_raise(struct prof_tree *tree, struct fmt_rec_function *function,
                            const struct fmt_rec_name *levels);

#endif
