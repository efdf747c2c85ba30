/*
 * Queues: what each holds, and how long threads wait for it.
 */
#ifndef CALLSIG_QUEUE_H
#define CALLSIG_QUEUE_H

#include "internal.h"

/* The use of the queue in the tree, made when new. NULL: no space. In a slow section. */
struct cs_rec_queue_use *cs_queue_use_of(struct cs_tree *tree, const struct cs_rec_queue *queue);
/* Moves an ended thread's statistics of queues to the tree of the folded ones. Gives how many puts and gets found no
 * space. */
uint64_t cs_queues_fold(struct cs_tree *target, const struct cs_rec_thread *source);
/* In a forked child, before the parent's recording is given up: notes what each queue holds. */
void cs_queues_keep_levels(void);

/* Replaces the level by `wanted` when it is `*expected`, in one step, else stores in *expected what it is. Any thread.
 */
bool cs_level_replace(struct cs_rec_queue_level *level, struct cs_rec_queue_level *expected,
                      struct cs_rec_queue_level wanted);

#endif
