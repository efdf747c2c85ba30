/*
 * The edges of what no hook is called for: tasks and actions, which the program names itself, and what calls waited.
 */
#ifndef CALLSIG_PROFILER_TREE_USER_EDGES_H
#define CALLSIG_PROFILER_TREE_USER_EDGES_H

#include <stdbool.h>

#include "profiler/tree/tree.h"

/* The function that stands for the tasks of a stage. NULL: no space. */
struct fmt_rec_function *prof_tree_task_function(struct prof_tree *tree, const struct fmt_rec_stage *stage);
/* The edge from `from` for an action, or for a task with this text (NULL: none), made when new. `inherited`: for a
 * frame that was open at the fork that made the process. NULL: no space. */
struct fmt_rec_edge *prof_tree_user_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                         struct fmt_rec_function *function, const struct fmt_rec_name *text,
                                         bool inherited);
/* The edge from `from` for what calls of it waited, named by an action's function, made when new. NULL: no space. */
struct fmt_rec_edge *prof_tree_wait_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                         struct fmt_rec_function *function);

#endif
