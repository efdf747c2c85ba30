/*
 * Adding an ended thread's tree to another tree.
 */
#ifndef CALLSIG_PROFILER_LIFETIME_TREE_MERGE_H
#define CALLSIG_PROFILER_LIFETIME_TREE_MERGE_H

#include "profiler/base/tree_store.h"

/* Moves every counter of `source` to `target`, making what is missing there. Under threads_lock. 0 or
 * -ENOSPC: calls that found no place were counted in FMT_LOSS_NO_SPACE. */
int prof_tree_merge(struct prof_tree *target, const struct prof_tree *source);

#endif
