/*
 * The edge of a call.
 */
#ifndef CALLSIG_PROFILER_TREE_CALL_H
#define CALLSIG_PROFILER_TREE_CALL_H

#include "profiler/tree/fast_compare.h"

/* How hot code computes the canonical frame address at this site; false, and *cfa stays: only the generic path can. */
bool prof_tree_encode_cfa(const struct prof_site *site, uint32_t *cfa);
/* Has hooks find the edge by its site, unless what lies there is in doubt. */
void prof_edge_settle(struct fmt_rec_edge *edge, const struct prof_site *site);
/* The edge from `from` of a call with this comparison and signature, made when new with context, node and signature.
 * The cardinality limit may widen `words` in place first, and the bounds may merge. NULL when there is no space. */
struct fmt_rec_edge *prof_tree_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                    struct prof_fast_compare *compare, uint64_t *words, uint32_t word_count);
/* The same for a frame that was open at the fork that made the process: FMT_EDGE_INHERITED. */
struct fmt_rec_edge *prof_tree_inherited_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                              struct prof_fast_compare *compare, uint64_t *words, uint32_t word_count);

#endif
