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

/* Sets what the thread counted of queues to zero. Under threads_lock. */
void prof_queue_uses_clear(const struct fmt_rec_thread *record);
/* Has all queues begin now, with what they hold. Under stages_lock. */
void prof_queues_clear(struct fmt_rec_header *header);

#endif
