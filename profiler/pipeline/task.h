/*
 * Tasks: frames of a stage.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_TASK_H
#define CALLSIG_PROFILER_PIPELINE_TASK_H

#include "profiler/stack/thread.h"

struct prof_open_task;

/* `top` was opened for a task that the thread's parent process has open, whose entry this is. In the stage's statistics
 * it is the parent's alone. In a slow section. */
void prof_task_inherit(const struct prof_thread *t, struct prof_open_task *open);

#endif
