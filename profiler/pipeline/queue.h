/*
 * Queues: what each holds, and how long threads wait for it.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_QUEUE_H
#define CALLSIG_PROFILER_PIPELINE_QUEUE_H

#include "profiler/base/internal.h"

/* The use of the queue in the tree, made when new. NULL: no space. In a slow section. */
struct fmt_rec_queue_use *prof_queue_use_of(struct prof_tree *tree, const struct fmt_rec_queue *queue);
/* Moves an ended thread's statistics of queues to the tree of the folded ones. Gives how many puts and gets found no
 * space. */
uint64_t prof_queues_fold(struct prof_tree *target, const struct fmt_rec_thread *source);
/* In a forked child, before the parent's recording is given up: notes what each queue holds. */
void prof_queues_keep_levels(void);

/* Replaces the level by `wanted` when it is `*expected`, in one step, else stores in *expected what it is. Any thread.
 */
bool prof_level_replace(struct fmt_rec_queue_level *level, struct fmt_rec_queue_level *expected,
                        struct fmt_rec_queue_level wanted);

#endif
