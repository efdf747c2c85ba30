/*
 * Tasks: frames of a stage.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_TASK_H
#define CALLSIG_PROFILER_PIPELINE_TASK_H

#include "profiler/stack/thread.h"

struct prof_open_task;
struct prof_stage;

/* `top` was opened for a task that the thread's parent process had open: `open` is its entry, or NULL. In a slow
 * section.
 */
void prof_task_inherit(struct prof_thread *t, const struct prof_stage *stage, struct prof_open_task *open);

#endif
