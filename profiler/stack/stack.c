/*
 * Segments of the shadow stack, and machine stacks.
 *
 * A machine stack has a chain of segments, each beginning with a link. The outermost link refers to the thread's root
 * edge and its CFA is above every other, so that the outermost call enters on the fast path; no exit matches it. An
 * inner link is a copy of the frame it continues with a CFA of 0, so that the fast path neither enters below it nor
 * leaves through it.
 */
#include <signal.h>

#include "profiler/stack/frames.h"

#define CAPACITY_MAX    65535u
#define COROUTINE_FIRST 63u

static struct fmt_rec_stack *new_segment(struct prof_tree *tree, uint32_t capacity)
{
  size_t size = sizeof(struct fmt_rec_stack) + capacity * sizeof(struct fmt_rec_frame);
  struct fmt_rec_stack *stack = prof_record_alloc(tree, size);
  if (!stack)
    return NULL;
  stack->capacity = capacity;
  stack->tag = (struct fmt_rec_tag){FMT_TAG_STACK, (uint32_t)size};
  return stack;
}

static void run_segment(struct prof_thread *t, struct fmt_rec_stack *stack, struct fmt_rec_frame *top)
{
  t->stack = stack;
  t->limit = &stack->frames[stack->capacity - 1];
  t->top = top;
}

static void run_machine(struct prof_thread *t, struct prof_machine *machine)
{
  t->machine = machine;
  t->stack_low = machine->low;
  t->stack_high = machine->high;
}

static struct prof_machine *new_machine(struct prof_thread *t, uintptr_t low, uintptr_t high, uint32_t frames)
{
  struct prof_machine *machine = prof_arena_alloc(&t->tree.arena, sizeof *machine);
  struct fmt_rec_stack *stack = machine ? new_segment(&t->tree, frames) : NULL;
  if (!stack)
    return NULL;
  stack->low = low;
  stack->high = high;
  stack->next_stack = t->machines ? (uintptr_t)t->machines->outermost : 0;
  machine->outermost = stack;
  machine->low = low;
  machine->high = high;
  machine->next = t->machines;
  return machine;
}

void prof_stack_publish(struct prof_thread *t)
{
  uint64_t first = t->warming ? 0 : (uintptr_t)t->machines->outermost;
  __atomic_store_n(&t->tree.record->first_stack, first, __ATOMIC_RELEASE);
}

bool prof_stack_open(struct prof_thread *t, uintptr_t low, uintptr_t high, uint32_t frames)
{
  struct prof_machine *machine = new_machine(t, low, high, frames);
  if (!machine)
    return false;
  struct fmt_rec_frame *link = &machine->outermost->frames[0];
  /* Just above every frame of this machine stack: a frame of a stack that lies higher is not entered here. */
  link->cfa = high < UINTPTR_MAX ? high + 1 : high;
  link->edge = (uintptr_t)t->tree.root_edge;
  t->machines = machine;
  t->marked = link;
  t->recursion = 0;
  t->mode = PROF_MODE_PLAIN;
  run_machine(t, machine);
  run_segment(t, machine->outermost, link);
  prof_stack_publish(t);
  return true;
}

/* Continues the frame `top` in the first frame after the link of `stack`. */
static void continue_in(struct prof_thread *t, struct fmt_rec_stack *stack)
{
  struct fmt_rec_frame *link = &stack->frames[0];
  link->cfa = 0;
  link->start_ticks = 0;
  link->flags = (uintptr_t)t->top;
  link->edge = (uintptr_t)prof_frame_caller(t->top);
  run_segment(t, stack, link);
}

bool prof_stack_grow(struct prof_thread *t)
{
  struct fmt_rec_stack *inner = (struct fmt_rec_stack *)t->stack->inner;
  if (!inner) {
    uint32_t capacity = t->stack->capacity * 2 + 1;
    inner = new_segment(&t->tree, capacity < CAPACITY_MAX ? capacity : CAPACITY_MAX);
    if (!inner)
      return false;
    inner->outer = (uintptr_t)t->stack;
    __atomic_store_n(&t->stack->inner, (uintptr_t)inner, __ATOMIC_RELEASE);
  }
  continue_in(t, inner);
  return true;
}

void prof_stack_retreat(struct prof_thread *t)
{
  struct fmt_rec_frame *link = &t->stack->frames[0];
  struct fmt_rec_stack *outer = (struct fmt_rec_stack *)t->stack->outer;
  struct fmt_rec_frame *top = (struct fmt_rec_frame *)link->flags;
  link->edge = 0;
  if (t->stack == t->machine->outermost) {
    struct prof_machine *signal = t->machine;
    run_machine(t, signal->outer);
    signal->outer = NULL;
    signal->outermost->outer = 0;
  }
  run_segment(t, outer, top);
}

void prof_stack_rest(struct prof_thread *t)
{
  while (prof_frame_is_link(t->stack, t->top) && t->stack->outer)
    prof_stack_retreat(t);
}

/* The alternate signal stack that runs now, if any. */
static bool on_signal_stack(uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
  stack_t alternate;
  if (PROF_SYSCALL2(SYS_sigaltstack, 0, &alternate) < 0 || !(alternate.ss_flags & SS_ONSTACK))
    return false;
  *low = (uintptr_t)alternate.ss_sp;
  *high = *low + alternate.ss_size;
  return sp > *low && sp <= *high;
}

static struct prof_machine *find_machine(struct prof_thread *t, uintptr_t sp)
{
  for (struct prof_machine *machine = t->machines; machine; machine = machine->next)
    if (sp > machine->low && sp <= machine->high)
      return machine;
  return NULL;
}

/* A signal handler runs on its own stack: its frames continue those that it interrupted, whose clock goes on. */
static bool enter_signal_stack(struct prof_thread *t, uintptr_t low, uintptr_t high)
{
  struct prof_machine *machine = t->machines;
  while (machine && (machine->low != low || machine->high != high))
    machine = machine->next;
  if (!machine) {
    machine = new_machine(t, low, high, COROUTINE_FIRST);
    if (!machine)
      return false;
    t->machines = machine;
    prof_stack_publish(t);
  }
  machine->outer = t->machine;
  machine->outermost->outer = (uintptr_t)t->stack;
  continue_in(t, machine->outermost);
  run_machine(t, machine);
  return true;
}

/* Stops the clock of the running machine stack and puts it away. */
static void suspend(struct prof_thread *t, uint64_t now)
{
  struct prof_machine *machine = t->machine;
  prof_recursion_suspend(t);
  machine->stack = t->stack;
  machine->top = t->top;
  machine->marked = t->marked;
  machine->recursion = t->recursion;
  machine->outermost->suspended = now;
}

static void resume(struct prof_thread *t, struct prof_machine *machine, uint64_t now)
{
  run_machine(t, machine);
  run_segment(t, machine->stack, machine->top);
  t->marked = machine->marked;
  t->recursion = machine->recursion;
  t->mode = t->recursion ? PROF_MODE_RECURSION : PROF_MODE_PLAIN;
  prof_recursion_resume(t);
  prof_frames_shift(t, now - machine->outermost->suspended);
  machine->outermost->suspended = 0;
}

void prof_stack_run(struct prof_thread *t, struct prof_machine *machine, uint64_t now)
{
  suspend(t, now);
  resume(t, machine, now);
}

/* A coroutine's stack may lie inside a frame of the stack that runs. A stack pointer above the innermost frame is then
 * no sign that frames are dead, but of the coroutine. */
static bool on_inner_stack(struct prof_thread *t, uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
  bool above = prof_stack_at_bottom(t) || sp >= prof_frame_cfa(t);
  return above && prof_stack_named(sp, low, high) && (*low != t->stack_low || *high != t->stack_high);
}

/* Makes the machine stack with just this range the one that runs. */
static bool follow_inner(struct prof_thread *t, uintptr_t low, uintptr_t high, uint64_t now)
{
  struct prof_machine *machine = t->machines;
  while (machine && (machine->low != low || machine->high != high))
    machine = machine->next;
  suspend(t, now);
  if (machine) {
    resume(t, machine, now);
    return true;
  }
  machine = t->machine;
  if (prof_stack_open(t, low, high, COROUTINE_FIRST))
    return true;
  resume(t, machine, now);
  return false;
}

bool prof_stack_follow(struct prof_thread *t, uintptr_t sp, uint64_t now)
{
  uintptr_t low, high;
  if (sp > t->stack_low && sp <= t->stack_high)
    return on_inner_stack(t, sp, &low, &high) ? follow_inner(t, low, high, now) : true;
  if (on_signal_stack(sp, &low, &high))
    return enter_signal_stack(t, low, high);
  while (t->machine->outer) {
    /* Control left the signal stack: what is open there is dead. */
    while (!prof_stack_at_bottom(t))
      prof_frame_close(t, now);
    prof_stack_retreat(t);
    if (sp > t->stack_low && sp <= t->stack_high)
      return true;
  }
  struct prof_machine *known = find_machine(t, sp);
  if (!known && prof_stack_range(sp, &low, &high) && high == t->machine->high) {
    /* The main stack grew beyond what its limit once allowed. */
    t->machine->low = low;
    t->machine->outermost->low = low;
    run_machine(t, t->machine);
    return true;
  }
  suspend(t, now);
  if (known) {
    resume(t, known, now);
    return true;
  }
  if (!prof_stack_range(sp, &low, &high)) {
    low = sp - 1;
    high = sp;
  }
  if (prof_stack_open(t, low, high, COROUTINE_FIRST))
    return true;
  resume(t, t->machine, now);
  return false;
}

void prof_frames_shift(struct prof_thread *t, uint64_t ticks)
{
  struct fmt_rec_stack *stack = t->stack;
  struct fmt_rec_frame *frame = t->top;
  for (;;) {
    for (; !prof_frame_is_link(stack, frame); frame--)
      if (frame->start_ticks != PROF_NOT_STARTED)
        frame->start_ticks += ticks;
    if (!stack->outer)
      return;
    frame = (struct fmt_rec_frame *)stack->frames[0].flags;
    stack = (struct fmt_rec_stack *)stack->outer;
  }
}
