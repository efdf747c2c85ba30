/*
 * Frames that control left without an exit hook: longjmp, a C++ exception under clang, pthread_exit.
 *
 * A frame is dead when the stack pointer is above its canonical frame address (CFA): the code that runs now could not
 * run while that frame is on the stack. So each entry closes what is not above its own CFA, and each exit what lies
 * below the stack pointer. A frame in progress (a hook that a signal interrupted) has edge 0 and its CFA already; a CFA
 * of 0, which only a second signal at the same instruction leaves there, is never dead.
 */
#include "frames.h"
#include "task.h"

static void drop(struct cs_thread *t)
{
  t->top->flags = 0;
  t->top->cfa = 0;
  t->top--;
}

/* Takes `top` off, which is no bottom. True when it was an open frame, which then ended at `now`. `left`: control does
 * not come back to it. */
static bool take_top(struct cs_thread *t, uint64_t now, bool left)
{
  if (cs_frame_is_link(t->stack, t->top)) {
    cs_stack_retreat(t);
    return false;
  }
  if (t->top->edge) {
    if (cs_frame_is_task(t->top))
      cs_task_cut(t, now, left);
    else
      cs_frame_end(t, now);
    return true;
  }
  if (!cs_frame_is_lost(t->top)) {
    /* Its hook was interrupted, and left by a longjmp out of the signal handler. */
    cs_recursion_repair(t, t->top);
    cs_count_loss(CS_LOSS_NESTED, 1);
  }
  drop(t);
  return false;
}

void cs_frame_close(struct cs_thread *t, uint64_t now)
{
  if (take_top(t, now, true) && !t->warming)
    cs_count_loss(CS_LOSS_UNWOUND, 1);
}

static void close_machine(struct cs_thread *t, uint64_t now, bool left)
{
  while (!cs_stack_at_bottom(t))
    take_top(t, now, left);
}

void cs_frames_close_all(struct cs_thread *t, uint64_t now, bool left)
{
  close_machine(t, now, left);
  for (struct cs_machine *machine = t->machines; machine; machine = machine->next) {
    if (machine == t->machine || !machine->top || machine->top == machine->outermost->frames)
      continue;
    cs_stack_run(t, machine, now);
    close_machine(t, now, left);
  }
}

uintptr_t cs_frame_cfa(const struct cs_thread *t)
{
  const struct cs_rec_frame *top = t->top;
  while (!top->edge)
    top--;
  if (cs_frame_is_link(t->stack, top) && t->stack->outer)
    top = (const struct cs_rec_frame *)top->flags;
  return top->cfa ? top->cfa : UINTPTR_MAX;
}

bool cs_frame_shared(const struct cs_rec_frame *top, const struct cs_site *site)
{
  if (!site->inlined || (!top->edge && !cs_frame_is_lost(top)))
    return false;
  const struct cs_plan *plan = top->edge ? cs_edge_plan(cs_frame_edge(top)) : NULL;
  const struct cs_index_site *outer = plan ? plan->site->index_site : NULL;
  /* An action has no code of its own, and of what no index knows it cannot be told. */
  if (!outer || !site->index_site)
    return true;
  return plan->site->module == site->module && outer->physical == site->index_site->physical;
}

void cs_unwind_for_entry(struct cs_thread *t, uintptr_t cfa, const struct cs_site *site, uint64_t now)
{
  while (!cs_stack_at_bottom(t)) {
    const struct cs_rec_frame *top = t->top;
    if (!cs_frame_is_link(t->stack, top)) {
      if (cfa < top->cfa || top->cfa == 0)
        return;
      if (cfa == top->cfa && cs_frame_shared(top, site))
        return;
    } else if (cfa < ((struct cs_rec_frame *)top->flags)->cfa) {
      return;
    }
    cs_frame_close(t, now);
  }
}

bool cs_frame_live(const struct cs_thread *t, uintptr_t sp)
{
  if (sp <= t->stack_low || sp > t->stack_high)
    return false;
  if (cs_frame_is_link(t->stack, t->top) && t->stack->outer)
    return ((const struct cs_rec_frame *)t->top->flags)->cfa > sp && t->stack != t->machine->outermost;
  return t->top->cfa > sp || t->top->cfa == 0;
}

void cs_unwind_for_call(struct cs_thread *t, uintptr_t sp, uint64_t now)
{
  while (!cs_stack_at_bottom(t) && !cs_frame_live(t, sp))
    cs_frame_close(t, now);
}

/* Is `top` an action that the function of the frame below it began and did not end? */
static bool is_left_action(const struct cs_thread *t, uintptr_t function)
{
  const struct cs_rec_frame *frame = t->top;
  const struct cs_rec_edge *edge;
  while (!cs_frame_is_link(t->stack, frame) && (edge = cs_frame_edge(frame)) && !cs_edge_plan(edge))
    frame--;
  edge = cs_frame_edge(frame);
  return frame != t->top && !cs_frame_is_link(t->stack, frame) && edge && edge->function_address == function &&
         frame->cfa == t->top->cfa;
}

enum cs_exit cs_unwind_for_exit(struct cs_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp,
                                uint64_t now)
{
  /* A hook that the function jumped to, as its last act, returns to the function's own caller. */
  bool jumped = ((const uintptr_t *)sp)[-1] == call_site;
  while (!cs_stack_at_bottom(t)) {
    const struct cs_rec_frame *top = t->top;
    const struct cs_rec_edge *edge = cs_frame_edge(top);
    if (!cs_frame_is_link(t->stack, top)) {
      const struct cs_plan *plan = edge ? cs_edge_plan(edge) : NULL;
      bool matches = edge && edge->function_address == function;
      if (matches && plan && plan->site->cfa_kind == CS_CFA_UNKNOWN)
        return CS_EXIT_TOP;
      bool dead = top->cfa && (top->cfa < sp || (top->cfa == sp && !jumped));
      if (!dead && cs_frame_is_lost(top)) {
        drop(t);
        return CS_EXIT_LOST;
      }
      if (!dead && !is_left_action(t, function))
        return matches ? CS_EXIT_TOP : CS_EXIT_UNMATCHED;
    }
    cs_frame_close(t, now);
  }
  return CS_EXIT_UNMATCHED;
}
