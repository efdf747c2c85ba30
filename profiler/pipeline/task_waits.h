/*
 * What tasks wait for, and in which call: struct fmt_rec_task_waits.
 *
 * A thread cannot tell what it waited for, but another one that looks at it meanwhile can: the kernel says which system
 * call it waits in, and its shadow stack says in which call of the program. So now and then a thread that begins a task
 * looks at one of the others.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_TASK_WAITS_H
#define CALLSIG_PROFILER_PIPELINE_TASK_WAITS_H

#include "profiler/base/tree_store.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/thread.h"

/* Looks at another thread than `t`, which is the calling one, when it is time to. Anywhere. */
void prof_task_waits_look(const struct prof_thread *t);

/* An empty record of the tree. NULL: no space. In a slow section. */
struct fmt_rec_task_waits *prof_task_waits_make(struct prof_tree *tree);
/* Moves all of `source` to `target`, whose edges `map` finds: under threads_lock. */
void prof_task_waits_move(struct fmt_rec_task_waits *target, struct fmt_rec_task_waits *source, prof_ring_edge_fn map,
                          void *data);

#endif
