/*
 * Tasks: frames of a stage.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_TASK_H
#define CALLSIG_PROFILER_PIPELINE_TASK_H

#include "profiler/stack/frames.h"

struct prof_open_task;
struct prof_stage;

static inline const struct fmt_rec_function *prof_edge_function(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_context *context = (const struct fmt_rec_context *)prof_edge_to(edge)->context;
  return (const struct fmt_rec_function *)context->function;
}

/* Is this open frame a task's? */
static inline bool prof_frame_is_task(const struct fmt_rec_frame *frame)
{
  const struct fmt_rec_function *function = prof_edge_function(prof_frame_edge(frame));
  return function && function->kind == FMT_FUNCTION_KIND_TASK;
}

/* Ends `top`, the open frame of a task, at `now`, other than by callsig_task_end(). `left`: control will not come back
 * to the task, which has failed; else only recording stops. In a slow section. */
void prof_task_cut(struct prof_thread *t, uint64_t now, bool left);

/* `top` was opened for a task that the thread's parent process had open: `open` is its entry, or NULL. In a slow
 * section.
 */
void prof_task_inherit(struct prof_thread *t, const struct prof_stage *stage, struct prof_open_task *open);

#endif
