/*
 * The machine stack that runs is the one that the stack pointer lies on: a thread's own, a coroutine's, or the
 * alternate stack of a signal handler.
 */
#include "profiler/frame/follow.h"

#include "profiler/base/clock.h"
#include "profiler/base/coroutine.h"
#include "profiler/frame/suspend.h"
#include "profiler/frame/unwind.h"
#include "profiler/stack/stack.h"

#define COROUTINE_FIRST 63u /* frames of a coroutine's first segment */

static uint32_t contexts_on(const struct prof_machine *machine)
{
  return prof_stack_contexts(machine->range.low, machine->range.high);
}

/* Takes up a machine stack that was put away, or runs. Where another context was made there since control last went
 * there, that of its frames was given up. */
static void go_on(struct prof_thread *t, struct prof_machine *machine, uint64_t now)
{
  const uint32_t contexts = contexts_on(machine);
  if (machine != t->machine) {
    prof_stack_suspend(t, now);
    prof_stack_resume(t, machine, now);
  }
  if (machine->contexts == contexts)
    return;
  machine->contexts = contexts;
  while (!prof_stack_at_bottom(t) && !prof_unwind_held(t))
    prof_frame_close(t, now);
}

static bool is_other(const struct prof_thread *t, uintptr_t low, uintptr_t high)
{
  return low != t->stack_low || high != t->stack_high;
}

/* A coroutine's stack, or a signal handler's, may lie inside a frame of the stack that runs, or among the thread's own
 * variables behind it. A stack pointer above the innermost frame is then no sign that frames are dead, but of that
 * stack: the one that sp lies on, or false. */
static bool on_inner_stack(struct prof_thread *t, uintptr_t sp, uintptr_t *low, uintptr_t *high, bool *is_signals)
{
  bool above = prof_stack_at_bottom(t) || sp >= prof_frame_cfa(prof_place_settled(t));
  *is_signals = above && prof_signal_stack_at(sp, low, high) && is_other(t, *low, *high);
  return *is_signals || (above && prof_stack_named(sp, low, high) && is_other(t, *low, *high));
}

/* Makes the machine stack with just this range the one that runs. */
static bool follow_inner(struct prof_thread *t, uintptr_t low, uintptr_t high, uint64_t now)
{
  struct prof_machine *machine = prof_machine_with_range(t, low, high);
  if (machine) {
    go_on(t, machine, now);
    return true;
  }
  machine = t->machine;
  prof_stack_suspend(t, now);
  if (prof_stack_open(t, low, high, COROUTINE_FIRST))
    return true;
  prof_stack_resume(t, machine, now);
  return false;
}

bool prof_stack_follow(struct prof_thread *t, uintptr_t sp, uint64_t now)
{
  uintptr_t low, high;
  bool is_signals;
  if (sp > t->stack_low && sp <= t->stack_high) {
    if (!on_inner_stack(t, sp, &low, &high, &is_signals))
      return true;
    return is_signals ? prof_stack_enter_signal(t, low, high) : follow_inner(t, low, high, now);
  }
  if (prof_signal_stack_at(sp, &low, &high))
    return prof_stack_enter_signal(t, low, high);
  while (t->machine->outer) {
    /* Control left the signal stack: what is open there is dead. */
    while (!prof_stack_at_bottom(t))
      prof_frame_close(t, now);
    prof_stack_retreat(t);
    if (sp > t->stack_low && sp <= t->stack_high)
      return true;
  }
  struct prof_machine *known = prof_machine_find(t, sp);
  if (!known && prof_stack_range(sp, &low, &high) && high == t->machine->range.high) {
    /* The main stack grew beyond what its limit once allowed. */
    if (!prof_ranges_resize(&t->ranges, &t->tree.arena, &t->machine->range, low, high))
      return false;
    t->machine->outermost->low = low;
    prof_machine_use(t, t->machine);
    return true;
  }
  if (known) {
    go_on(t, known, now);
    return true;
  }
  prof_stack_suspend(t, now);
  if (!prof_stack_range(sp, &low, &high)) {
    low = sp - 1;
    high = sp;
  }
  if (prof_stack_open(t, low, high, COROUTINE_FIRST))
    return true;
  prof_stack_resume(t, t->machine, now);
  return false;
}

void prof_stack_arrive(uintptr_t sp)
{
  struct prof_thread *t = prof_self;
  if (!prof_thread_running(t))
    return;
  /* One that no hook has run on yet is told by the first that does, which finds the other's frames as they are now. */
  struct prof_machine *machine = prof_machine_find(t, sp);
  if (!machine || (machine == t->machine && machine->contexts == contexts_on(machine)) || !prof_slow_enter(t))
    return;
  const uint64_t now = prof_clock_now();
  if (t->machine->outer) {
    (void)prof_stack_follow(t, sp, now);
  } else {
    go_on(t, machine, now);
  }
  prof_slow_leave(t);
}

bool prof_unwind_for_call(struct prof_thread *t, uintptr_t sp, uint64_t now)
{
  if (prof_frame_live(t, prof_place_settled(t), sp))
    return true;
  now = now ? now : prof_clock_now();
  if (!prof_stack_follow(t, sp, now))
    return false;
  while (!prof_stack_at_bottom(t) && !prof_unwind_held(t) && !prof_frame_live(t, prof_place_settled(t), sp))
    prof_frame_close(t, now);
  return true;
}
