/*
 * The edge of a call that has ended, by what it returned.
 */
#ifndef CALLSIG_PROFILER_TREE_RETURNED_H
#define CALLSIG_PROFILER_TREE_RETURNED_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/tree_store.h"

/* Where a function leaves what it returns. */
struct prof_returned {
  uint64_t general; /* the register of integers and pointers */
  uint64_t vector;  /* the low 8 bytes of that of floating-point numbers */
};

/* Writes the signature's words of `edge`, which has FMT_EDGE_RETURNS, with what the call returned, as the function's
 * levels widen it, and gives their number; 0: they are more than `capacity`. Anywhere. */
uint32_t prof_returned_words(const struct fmt_rec_edge *edge, const struct prof_returned *returned, uint64_t *words,
                             uint32_t capacity);
/* The edge of such calls, if it was made; NULL else. Anywhere. */
struct fmt_rec_edge *prof_returned_find(const struct prof_tree *tree, const struct fmt_rec_edge *edge,
                                        const uint64_t *words, uint32_t count);
/* The same, made when it is new, which may widen the words. In a slow section. NULL: no space. */
struct fmt_rec_edge *prof_returned_edge(struct prof_tree *tree, const struct fmt_rec_edge *edge, uint64_t *words,
                                        uint32_t count);

#endif
