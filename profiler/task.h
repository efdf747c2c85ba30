/*
 * Tasks: frames of a stage.
 */
#ifndef CALLSIG_TASK_H
#define CALLSIG_TASK_H

#include "frames.h"

struct cs_open_task;
struct cs_stage;

static inline const struct cs_rec_function *cs_edge_function(const struct cs_rec_edge *edge)
{
  const struct cs_rec_context *context = (const struct cs_rec_context *)cs_edge_to(edge)->context;
  return (const struct cs_rec_function *)context->function;
}

/* Is this open frame a task's? */
static inline bool cs_frame_is_task(const struct cs_rec_frame *frame)
{
  const struct cs_rec_function *function = cs_edge_function(cs_frame_edge(frame));
  return function && function->kind == CS_FUNCTION_KIND_TASK;
}

/* Ends `top`, the open frame of a task, at `now`, other than by callsig_task_end(). `left`: control will not come back
 * to the task, which has failed; else only recording stops. In a slow section. */
void cs_task_cut(struct cs_thread *t, uint64_t now, bool left);

/* `top` was opened for a task that the thread's parent process had open: `open` is its entry, or NULL. In a slow
 * section.
 */
void cs_task_inherit(struct cs_thread *t, const struct cs_stage *stage, struct cs_open_task *open);

#endif
