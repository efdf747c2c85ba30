/*
 * Frames that control left without an exit hook: longjmp, a C++ exception under clang, pthread_exit.
 *
 * A frame is dead when the stack pointer is above its canonical frame address (CFA): the code that runs now could not
 * run while that frame is on the stack. So each entry closes what is not above its own CFA, and each exit what lies
 * below the stack pointer. A frame in progress (a hook that a signal interrupted) has edge 0 and its CFA already; a CFA
 * of 0, which only a second signal at the same instruction leaves there, is never dead.
 */
#include "profiler/frame/unwind.h"

#include "format/index.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/process.h"
#include "profiler/frame/frame.h"
#include "profiler/frame/recursion.h"
#include "profiler/frame/suspend.h"
#include "profiler/stack/stack.h"
#include "profiler/tree/fast_compare.h"

static void drop(struct prof_thread *t)
{
  t->top->flags = (uintptr_t)t->discard;
  t->top->cfa = 0;
  t->top--;
}

/* Takes `top` off, which is no bottom. True when it was an open frame, which then ended at `now`. `left`: control does
 * not come back to it. */
static bool take_top(struct prof_thread *t, uint64_t now, bool left)
{
  if (prof_frame_is_link(t->stack, t->top)) {
    prof_stack_retreat(t);
    return false;
  }
  if (t->top->edge) {
    if (prof_frame_is_task(t->top))
      prof_process.upcalls.cut_task(t, now, left);
    else
      prof_frame_cut(t, prof_place_settled(t), now);
    return true;
  }
  if (!prof_frame_is_lost(t->top)) {
    /* Its hook was interrupted, and left by a longjmp out of the signal handler. */
    prof_recursion_repair(t);
    prof_count_loss(FMT_LOSS_NESTED, 1);
  }
  drop(t);
  return false;
}

/* A call has ended without its exit. A thread that may not close what a switch ended, since a handler interrupted a
 * hook of it, closes it here. */
static void count_unwound(const struct prof_thread *t, bool is_switched_off)
{
  if (!t->warming && !is_switched_off)
    prof_count_loss(FMT_LOSS_UNWOUND, 1);
}

void prof_frame_close(struct prof_thread *t, uint64_t now)
{
  const bool is_switched_off = t->tree.record->end_ticks != 0;
  if (take_top(t, now, true))
    count_unwound(t, is_switched_off);
}

/* Closes the frames of the machine stack that runs, and of what it interrupted when it is a signal handler's. */
static void close_machine(struct prof_thread *t, uint64_t now, bool left)
{
  for (;;) {
    while (!prof_stack_at_bottom(t))
      take_top(t, now, left);
    if (!t->machine->outer)
      return;
    prof_stack_retreat(t);
  }
}

/* Was a frame begun there that never ended? */
static bool is_taken(const struct fmt_rec_frame *frame)
{
  return frame->edge || frame->cfa;
}

/* The innermost such frame of the segment above `frame`; `frame` where there is none. The hook that was interrupted may
 * have taken one off in between. */
static struct fmt_rec_frame *last_taken(struct fmt_rec_stack *stack, struct fmt_rec_frame *frame)
{
  struct fmt_rec_frame *last = frame, *end = stack->frames + stack->capacity - 1;
  while (frame < end && frame - last < 2)
    if (is_taken(++frame))
      last = frame;
  return last;
}

/* Frames of a signal handler that never ended, above that of the hook which it interrupted, which went on meanwhile:
 * when they began and what called them is not known any more. */
static void drop_above(struct prof_thread *t)
{
  struct fmt_rec_frame *top = t->top;
  for (t->top = last_taken(t->stack, top); t->top != top;) {
    if (is_taken(t->top))
      prof_count_loss(FMT_LOSS_NESTED, 1);
    t->top->edge = 0;
    drop(t);
  }
}

void prof_frames_close_all(struct prof_thread *t, uint64_t now, bool left)
{
  drop_above(t);
  close_machine(t, now, left);
  for (struct prof_machine *machine = t->machines; machine; machine = machine->next) {
    if (machine == t->machine || !machine->top || machine->top == machine->outermost->frames)
      continue;
    prof_stack_suspend(t, now);
    prof_stack_resume(t, machine, now);
    close_machine(t, now, left);
  }
  prof_recursion_reset(t);
}

/* Ends what is open in the segment that runs, and goes back to the one that it continues. */
static void leave_segment(struct prof_thread *t)
{
  const uint64_t ended = t->tree.record->end_ticks, now = ended ? ended : prof_clock_now();
  t->top = last_taken(t->stack, t->stack->frames);
  while (!prof_frame_is_link(t->stack, t->top)) {
    if (is_taken(t->top))
      take_top(t, now, true);
    else
      t->top--;
  }
  prof_stack_retreat(t);
}

/* Is the segment one of those that continue `stack` on its machine stack? */
static bool is_inside(const struct fmt_rec_stack *stack, const struct fmt_rec_stack *segment)
{
  do
    stack = (const struct fmt_rec_stack *)stack->inner;
  while (stack && stack != segment);
  return stack != NULL;
}

/* Has the machine stack run that was put away, or was left. Its own place is not the one where it went on. */
static void change_machine(struct prof_thread *t, struct prof_machine *machine)
{
  const uint64_t now = prof_clock_now();
  struct fmt_rec_frame *last = last_taken(t->stack, t->stack->frames);
  t->top = last;
  if (machine->outermost->frames[0].flags) {
    /* A signal handler's: it continues what runs. */
    machine->outermost->frames[0].flags = (uintptr_t)last;
    prof_stack_return(t, machine, machine->outermost, machine->outermost->frames);
    return;
  }
  prof_stack_suspend(t, now);
  prof_stack_resume(t, machine, now);
}

static bool find_segment(const struct prof_thread *t, const struct fmt_rec_frame *frame, struct prof_machine **machine,
                         struct fmt_rec_stack **segment)
{
  for (*machine = t->machines; *machine; *machine = (*machine)->next)
    for (*segment = (*machine)->outermost; *segment; *segment = (struct fmt_rec_stack *)(*segment)->inner)
      if (prof_stack_holds(*segment, frame))
        return true;
  return false;
}

void prof_frames_mend(struct prof_thread *t)
{
  struct fmt_rec_frame *top = t->top;
  struct prof_machine *machine;
  struct fmt_rec_stack *segment;
  if (!find_segment(t, top, &machine, &segment))
    return;
  while (t->machine != machine && t->machine->outer)
    leave_segment(t);
  if (t->machine != machine)
    change_machine(t, machine);
  while (t->stack != segment && !is_inside(t->stack, segment))
    leave_segment(t);
  if (t->stack != segment)
    prof_stack_return(t, machine, segment, top);
  t->top = top;
  prof_recursion_restart(t);
}

bool prof_frame_shared(const struct fmt_rec_frame *top, const struct prof_site *site)
{
  if (!site->inlined || (!top->edge && !prof_frame_is_lost(top)))
    return false;
  const struct prof_fast_compare *compare = top->edge ? prof_edge_fast_compare(prof_frame_edge(top)) : NULL;
  const struct fmt_index_site *outer = compare ? compare->site->index_site : NULL;
  /* An action has no code of its own, and of what no index knows it cannot be told. */
  if (!outer || !site->index_site)
    return true;
  return compare->site->module == site->module && outer->physical == site->index_site->physical;
}

bool prof_unwind_in_order(const struct prof_thread *t, struct prof_place place, const struct prof_site *site,
                          uintptr_t cfa)
{
  const struct fmt_rec_frame *top = place.top;
  if (cfa <= t->stack_low || cfa > t->stack_high)
    return false;
  if (prof_frame_is_link(place.stack, top)) {
    /* A handler may have ended recording, and begun it again, since the place was read: it has nothing around it then,
     * and is not the machine's either. */
    if (!place.stack->outer || place.stack == t->machine->outermost || prof_place_is_shield(t, place))
      return true;
    top = (const struct fmt_rec_frame *)top->flags;
  }
  if (cfa < top->cfa || top->cfa == 0)
    return true;
  return cfa == top->cfa && site && prof_frame_shared(top, site);
}

bool prof_unwind_held(const struct prof_thread *t)
{
  return prof_place_is_shield(t, prof_place_settled(t)) ||
         (!prof_frame_is_link(t->stack, t->top) && prof_frame_is_held(t, t->top));
}

void prof_unwind_for_entry(struct prof_thread *t, uintptr_t cfa, const struct prof_site *site, uint64_t now)
{
  while (!prof_stack_at_bottom(t)) {
    const struct fmt_rec_frame *top = t->top;
    if (prof_unwind_held(t))
      return;
    if (!prof_frame_is_link(t->stack, top)) {
      if (cfa < top->cfa || top->cfa == 0)
        return;
      if (cfa == top->cfa && prof_frame_shared(top, site))
        return;
    } else if (cfa < ((struct fmt_rec_frame *)top->flags)->cfa) {
      return;
    }
    prof_frame_close(t, now);
  }
}

/* Is `top` an action that the function of the frame below it began and did not end? */
static bool is_left_action(const struct prof_thread *t, uintptr_t function)
{
  const struct fmt_rec_frame *frame = t->top;
  const struct fmt_rec_edge *edge;
  while (!prof_frame_is_link(t->stack, frame) && (edge = prof_frame_edge(frame)) && !prof_edge_fast_compare(edge))
    frame--;
  edge = prof_frame_edge(frame);
  return frame != t->top && !prof_frame_is_link(t->stack, frame) && edge && edge->function_address == function &&
         frame->cfa == t->top->cfa;
}

enum prof_exit prof_unwind_for_exit(struct prof_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp,
                                    uint64_t now)
{
  /* A hook that the function jumped to, as its last act, returns to the function's own caller. */
  bool jumped = ((const uintptr_t *)sp)[-1] == call_site;
  while (!prof_stack_at_bottom(t) && !prof_unwind_held(t)) {
    const struct fmt_rec_frame *top = t->top;
    const struct fmt_rec_edge *edge = prof_frame_edge(top);
    if (!prof_frame_is_link(t->stack, top)) {
      const struct prof_fast_compare *compare = edge ? prof_edge_fast_compare(edge) : NULL;
      bool matches = edge && edge->function_address == function;
      if (matches && compare && compare->site->cfa_kind == FMT_CFA_UNKNOWN)
        return PROF_EXIT_TOP;
      bool dead = top->cfa && (top->cfa < sp || (top->cfa == sp && !jumped));
      if (!dead && prof_frame_is_lost(top)) {
        drop(t);
        return PROF_EXIT_LOST;
      }
      if (!dead && !is_left_action(t, function))
        return matches ? PROF_EXIT_TOP : PROF_EXIT_UNMATCHED;
    }
    prof_frame_close(t, now);
  }
  return PROF_EXIT_UNMATCHED;
}

/* Is this an open call of a function that begins where it is known, with frames below it in its segment? */
static bool is_plain_call(struct prof_place place)
{
  if (prof_frame_is_link(place.stack, place.top) || prof_frame_is_first(place.stack, place.top))
    return false;
  const struct fmt_rec_edge *edge = prof_frame_edge(place.top);
  const struct prof_fast_compare *compare = edge ? prof_edge_fast_compare(edge) : NULL;
  return compare && compare->site->cfa_kind != FMT_CFA_UNKNOWN && place.top->cfa;
}

/* Is it the frame of the function that ends? */
static bool is_ending(const struct fmt_rec_frame *frame, const struct prof_leaving *leaving)
{
  if (!leaving->function)
    return frame->cfa == leaving->last + sizeof leaving->last;
  return prof_frame_edge(frame)->function_address == leaving->function;
}

/* Is it below calls that are dead, and no others? */
static bool is_below_dead(struct prof_place place, const struct prof_leaving *leaving)
{
  for (; is_plain_call(place); place.top--)
    if (place.top->cfa > leaving->last)
      return is_ending(place.top, leaving);
  return false;
}

bool prof_unwind_openly(struct prof_thread *t, const struct prof_leaving *leaving, struct prof_place *place)
{
  const bool is_switched_off = t->tree.record->end_ticks != 0;
  if (t->interrupted || leaving->last <= t->stack_low || leaving->last > t->stack_high || !prof_place_now(t, place) ||
      !is_below_dead(*place, leaving))
    return false;
  do {
    const uintptr_t dead = place->top->cfa;
    if (!is_plain_call(*place))
      return false;
    if (dead > leaving->last)
      return is_ending(place->top, leaving);
    /* To the hooks of a handler that comes now the frame is dead, and they would end it under this one. From here on it
     * begins above all of the handler's, and is dead to this hook alone; where they have been, nothing is left. */
    if (!prof_replace(&place->top->cfa, dead, leaving->last))
      return false;
    prof_frame_cut(t, *place, leaving->now);
    count_unwound(t, is_switched_off);
  } while (prof_place_now(t, place));
  return false;
}
