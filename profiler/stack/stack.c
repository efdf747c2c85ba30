/*
 * The shadow stack: its segments, and the machine stacks that they belong to.
 *
 * A machine stack has a chain of segments, each beginning with a link. The outermost link refers to the thread's root
 * edge and its CFA is above every other, so that the outermost call enters on the fast path; no exit matches it. An
 * inner link is a copy of the frame it continues with a CFA of 0, so that the fast path neither enters below it nor
 * leaves through it.
 */
#include "profiler/stack/stack.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/arena.h"
#include "profiler/base/coroutine.h"
#include "profiler/base/recording.h"
#include "profiler/stack/modes.h"

#define CAPACITY_MAX 65535u
#define SIGNAL_FIRST 63u
#define SECOND_LEAST 253u /* frames of what continues a short segment: then the next border is far */

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

void prof_stack_use(struct prof_thread *t, struct fmt_rec_stack *segment, struct fmt_rec_frame *top)
{
  t->stack = segment;
  /* One frame stays free: for a hook that compared the limit of another segment, see prof_frames_mend(). */
  t->limit = &segment->frames[segment->capacity - 2];
  t->top = top;
}

void prof_machine_use(struct prof_thread *t, struct prof_machine *machine)
{
  t->machine = machine;
  t->stack_low = machine->range.low;
  t->stack_high = machine->range.high;
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
  machine->contexts = prof_stack_contexts(low, high);
  machine->next = t->machines;
  return prof_ranges_add(&t->ranges, &t->tree.arena, &machine->range, low, high) ? machine : NULL;
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
  prof_machine_use(t, machine);
  prof_stack_use(t, machine->outermost, link);
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
  link->edge = (uintptr_t)prof_place_caller(prof_place_settled(t));
  prof_stack_use(t, stack, link);
}

bool prof_stack_grow(struct prof_thread *t)
{
  struct fmt_rec_stack *inner = (struct fmt_rec_stack *)t->stack->inner;
  if (!inner) {
    uint32_t capacity = t->stack->capacity * 2 + 1 < SECOND_LEAST ? SECOND_LEAST : t->stack->capacity * 2 + 1;
    inner = new_segment(&t->tree, capacity < CAPACITY_MAX ? capacity : CAPACITY_MAX);
    if (!inner)
      return false;
    inner->outer = (uintptr_t)t->stack;
    __atomic_store_n(&t->stack->inner, (uintptr_t)inner, __ATOMIC_RELEASE);
  }
  continue_in(t, inner);
  return true;
}

/* Whether `other` is the segment `stack` or one that it continues. */
static bool is_within(const struct fmt_rec_stack *stack, const struct fmt_rec_stack *other)
{
  while (stack != other && stack->outer)
    stack = (const struct fmt_rec_stack *)stack->outer;
  return stack == other;
}

bool prof_stack_is_shielded(const struct prof_thread *t)
{
  return t->shield && is_within(t->stack, t->shield);
}

bool prof_stack_shield(struct prof_thread *t)
{
  if (prof_stack_is_shielded(t))
    return true;
  bool fresh = prof_frame_is_link(t->stack, t->top) && t->stack->outer;
  if (!fresh && !prof_stack_grow(t))
    return false;
  t->stack->frames[0].edge = (uintptr_t)t->tree.root_edge;
  t->shield = t->stack;
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
    prof_machine_use(t, signal->outer);
    signal->outer = NULL;
    signal->outermost->outer = 0;
  }
  prof_stack_use(t, outer, top);
}

void prof_stack_rest(struct prof_thread *t)
{
  while (prof_frame_is_link(t->stack, t->top) && t->stack->outer)
    prof_stack_retreat(t);
}

void prof_stack_return(struct prof_thread *t, struct prof_machine *machine, struct fmt_rec_stack *segment,
                       struct fmt_rec_frame *top)
{
  struct fmt_rec_stack *next = machine->outermost;
  if (machine == t->machine) {
    next = (struct fmt_rec_stack *)t->stack->inner;
  } else {
    machine->outer = t->machine;
    machine->outermost->outer = (uintptr_t)t->stack;
    prof_machine_use(t, machine);
  }
  t->top = (struct fmt_rec_frame *)next->frames[0].flags;
  for (;; next = (struct fmt_rec_stack *)next->inner) {
    continue_in(t, next);
    if (next == segment)
      break;
  }
  t->top = top;
}

struct prof_machine *prof_machine_find(const struct prof_thread *t, uintptr_t sp)
{
  return (struct prof_machine *)prof_ranges_at(&t->ranges, sp - 1);
}

struct prof_machine *prof_machine_with_range(const struct prof_thread *t, uintptr_t low, uintptr_t high)
{
  return (struct prof_machine *)prof_ranges_with(&t->ranges, low, high);
}

bool prof_stack_enter_signal(struct prof_thread *t, uintptr_t low, uintptr_t high)
{
  struct prof_machine *machine = prof_machine_with_range(t, low, high);
  if (!machine) {
    machine = new_machine(t, low, high, SIGNAL_FIRST);
    if (!machine)
      return false;
    t->machines = machine;
    prof_stack_publish(t);
  }
  machine->outer = t->machine;
  machine->outermost->outer = (uintptr_t)t->stack;
  continue_in(t, machine->outermost);
  prof_machine_use(t, machine);
  return true;
}

uint64_t prof_frames_shift_since(struct prof_thread *t, uint64_t when, uint64_t then, uint64_t all)
{
  struct prof_place place;
  uint64_t frames = 0;
  if ((then == 0 && all == 0) || !prof_place_now(t, &place))
    return 0;
  do {
    for (struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--, frames++)
      if (prof_frame_is_timed(frame))
        prof_add(&frame->start_ticks, all + (frame->start_ticks <= when ? then : 0));
  } while (prof_place_outwards(&place));
  return frames;
}

void prof_frames_shift(struct prof_thread *t, uint64_t ticks)
{
  (void)prof_frames_shift_since(t, 0, 0, ticks);
}
