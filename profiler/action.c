/*
 * Named actions: frames that the program opens and closes by name.
 */
#include <errno.h>

#include "frames.h"
#include "text.h"

/* The name of the action that a frame is of; NULL for a function's frame. */
static const char *name_of(const struct cs_rec_edge *edge)
{
  const struct cs_rec_context *context = (const struct cs_rec_context *)cs_edge_to(edge)->context;
  const struct cs_rec_function *function = (const struct cs_rec_function *)context->function;
  if (!function || function->kind != CS_FUNCTION_KIND_ACTION)
    return NULL;
  return ((const struct cs_rec_name *)function->address)->text;
}

/* The calling thread in a slow section, on the machine stack of `sp`, its dead frames closed. NULL: nothing is recorded
 * now. `now` is the clock's reading, 0 when it was not needed and not asked for. */
static struct cs_thread *begin(uintptr_t sp, uint64_t now)
{
  struct cs_thread *t = cs_thread_enter();
  if (!t)
    return NULL;
  bool recording = !__atomic_load_n(&cs_process.disabled, __ATOMIC_SEQ_CST);
  if (recording && !cs_frame_live(t, sp)) {
    now = now ? now : cs_clock_now();
    recording = cs_stack_follow(t, sp, now);
    if (recording)
      cs_unwind_for_call(t, sp, now);
  }
  if (recording)
    return t;
  cs_stack_rest(t);
  cs_slow_leave(t);
  return NULL;
}

int cs_action_enter(const char *name)
{
  struct cs_thread *t = begin((uintptr_t)__builtin_frame_address(0), 0);
  if (!t)
    return 0;
  struct cs_rec_edge *edge = cs_tree_action(&t->tree, cs_edge_to(cs_frame_caller(t->top)), name);
  /* The frame is the enclosing function's own: it dies with it. */
  bool opened = edge && cs_frame_open(t, edge, cs_frame_cfa(t), 0);
  if (opened)
    __atomic_store_n(&cs_process.recorded, 1, __ATOMIC_RELAXED);
  else
    cs_count_loss(CS_LOSS_NO_SPACE, 1);
  cs_stack_rest(t);
  cs_slow_leave(t);
  return opened ? 0 : -ENOSPC;
}

int cs_action_exit(const char *name)
{
  const struct cs_thread *own = cs_self;
  if (!own || own->self != own)
    return 0; /* nothing was recorded in this thread */
  uint64_t now = cs_clock_now();
  struct cs_thread *t = begin((uintptr_t)__builtin_frame_address(0), now);
  if (!t)
    return 0;
  const char *open = t->top->edge && !cs_frame_is_link(t->stack, t->top) ? name_of(cs_frame_edge(t->top)) : NULL;
  int error = open && cs_equal(open, name) ? 0 : -EINVAL;
  if (error == 0)
    cs_frame_end(t, now);
  cs_stack_rest(t);
  cs_slow_leave(t);
  return error;
}
