/*
 * Queues: what each holds, and how long threads wait for it.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_QUEUE_H
#define CALLSIG_PROFILER_PIPELINE_QUEUE_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/tree_store.h"

/* Moves an ended thread's statistics of queues to the tree of the folded ones. Gives how many puts and gets found no
 * space. */
uint64_t prof_queues_merge(struct prof_tree *target, const struct fmt_rec_thread *source);

#endif
