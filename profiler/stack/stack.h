/*
 * The shadow stack: open frames in segments, a chain of segments for each machine stack. All of it is called by the
 * thread that the frames belong to.
 */
#ifndef CALLSIG_PROFILER_STACK_STACK_H
#define CALLSIG_PROFILER_STACK_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/ranges.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/thread.h"

#define PROF_NOT_STARTED FMT_START_AHEAD   /* start_ticks of a frame that is about to begin */
#define PROF_NOT_TIMED   FMT_START_UNKNOWN /* start_ticks of a frame whose call is only counted */

/* A machine stack of a thread, in its tree's arena. Its segments are in the recording. */
struct prof_machine {
  struct prof_range range;         /* first; without its lowest address, and with its end */
  struct prof_machine *next;       /* made before this one */
  struct prof_machine *outer;      /* of an alternate signal stack: the machine stack that the signal interrupted */
  struct fmt_rec_stack *outermost; /* its first segment */
  /* What the thread has of it while it does not run: */
  struct fmt_rec_stack *stack;
  struct fmt_rec_frame *top;
  struct fmt_rec_frame *marked;
  uint64_t recursion;
  uint32_t contexts; /* that makecontext() had made there when it was last gone to: see follow.c */
};

static inline struct fmt_rec_edge *prof_frame_edge(const struct fmt_rec_frame *frame)
{
  return (struct fmt_rec_edge *)__atomic_load_n(&frame->edge, __ATOMIC_RELAXED);
}

/* Is this the link at the start of a segment? `stack` is the segment that the frame lies in. */
static inline bool prof_frame_is_link(const struct fmt_rec_stack *stack, const struct fmt_rec_frame *frame)
{
  return frame == stack->frames;
}

/* Does the frame lie in this segment? */
static inline bool prof_stack_holds(const struct fmt_rec_stack *stack, const struct fmt_rec_frame *frame)
{
  return frame >= stack->frames && frame < stack->frames + stack->capacity;
}

/* Where the frames of a machine stack end: what a hook goes by from its beginning to its end. The thread's own fields
 * change under it where a signal handler runs whose frames stay, since their exits were switched off meanwhile. */
struct prof_place {
  struct fmt_rec_stack *stack;
  struct fmt_rec_frame *top; /* in `stack` */
};

/* Where the thread's frames end. False where the segment is not that of `top`: a slow section mends it. Anywhere. */
static inline bool prof_place_now(const struct prof_thread *t, struct prof_place *place)
{
  place->stack = __atomic_load_n(&t->stack, __ATOMIC_RELAXED);
  place->top = __atomic_load_n(&t->top, __ATOMIC_RELAXED);
  return prof_stack_holds(place->stack, place->top);
}

/* The same in a slow section, where nothing is to be mended. */
static inline struct prof_place prof_place_settled(const struct prof_thread *t)
{
  return (struct prof_place){t->stack, t->top};
}

/* Is this the first frame of a segment that continues another? Its end goes back to that one. */
static inline bool prof_frame_is_first(const struct fmt_rec_stack *stack, const struct fmt_rec_frame *frame)
{
  return frame == stack->frames + 1 && stack->outer;
}

/* Does this stand in place of a start, in the frame of a call that was counted when it began? */
static inline bool prof_start_is_counted(uint64_t start_ticks)
{
  return start_ticks >= (uint64_t)PROF_COUNTED_UNOWNED && start_ticks != PROF_NOT_STARTED;
}

/* Was the frame's call counted when it began? */
static inline bool prof_frame_is_counted(const struct fmt_rec_frame *frame)
{
  return prof_start_is_counted(frame->start_ticks);
}

/* Is that told by its flags, in which then no counters and no bits are? */
static inline bool prof_frame_tells_counted(const struct fmt_rec_frame *frame)
{
  return frame->flags == frame->cfa - PROF_COUNTED_BELOW;
}

/* Does the frame say when its call began? */
static inline bool prof_frame_is_timed(const struct fmt_rec_frame *frame)
{
  return frame->start_ticks != PROF_NOT_STARTED && frame->start_ticks != PROF_NOT_TIMED &&
         !prof_frame_is_counted(frame);
}

/* Does the frame stand for a call that could not be recorded? */
static inline bool prof_frame_is_lost(const struct fmt_rec_frame *frame)
{
  return !frame->edge && frame->flags == PROF_FRAME_LOST;
}

/* Does a frame with these flags count nowhere, since its thread warmed up when it began? */
static inline bool prof_frame_is_discarded(const struct prof_thread *t, uint64_t flags)
{
  return (flags & ~(uint64_t)PROF_FRAME_BITS) == (uintptr_t)t->discard;
}

/* Does the frame belong to the hook that the running signal handler interrupted, or to what lies below it? */
static inline bool prof_frame_is_held(const struct prof_thread *t, const struct fmt_rec_frame *frame)
{
  return t->interrupted && (frame->cfa <= t->handler.low || frame->cfa > t->handler.high);
}

/* Do frames begin there that have no caller? See prof_stack_shield(). */
static inline bool prof_place_is_shield(const struct prof_thread *t, struct prof_place place)
{
  return t->interrupted && place.stack == t->shield && prof_frame_is_link(place.stack, place.top);
}

/* Is nothing open on the machine stack that runs? */
static inline bool prof_stack_at_bottom(const struct prof_thread *t)
{
  return t->stack == t->machine->outermost && prof_frame_is_link(t->stack, t->top);
}

/* Goes to the segment that the place's continues, and the frame there. False: it is the outermost. */
static inline bool prof_place_outwards(struct prof_place *place)
{
  struct fmt_rec_stack *outer = (struct fmt_rec_stack *)place->stack->outer;
  if (!outer)
    return false;
  place->top = (struct fmt_rec_frame *)place->stack->frames[0].flags;
  place->stack = outer;
  return true;
}

/* The edge of the innermost frame that is not in progress; a link's at last. NULL: the segment was left meanwhile. */
static inline struct fmt_rec_edge *prof_place_caller(struct prof_place place)
{
  while (!prof_frame_edge(place.top) && !prof_frame_is_link(place.stack, place.top))
    place.top--;
  return prof_frame_edge(place.top);
}

static inline struct fmt_rec_variant *prof_edge_to(const struct fmt_rec_edge *edge)
{
  return (struct fmt_rec_variant *)edge->to;
}

/* The function that the edge calls; NULL for the root's. */
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

/* Makes a machine stack with a first segment of `frames` frames and makes it the one that runs; the one before, if any,
 * was suspended. In a slow section. False: no space. */
bool prof_stack_open(struct prof_thread *t, uintptr_t low, uintptr_t high, uint32_t frames);
/* Shows readers the thread's machine stacks; none while it warms up. In a slow section. */
void prof_stack_publish(struct prof_thread *t);
/* Continues the current segment in another, in a slow section. False: no space. */
bool prof_stack_grow(struct prof_thread *t);
/* Was such a segment begun that the innermost frame lies above? Anywhere. */
bool prof_stack_is_shielded(const struct prof_thread *t);
/* Begins a segment whose calls have no caller, unless one was begun that the innermost frame lies above: what a handler
 * calls that interrupted a hook, while the frames below ended with an earlier period. prof_stack_rest() takes it off.
 * In a slow section, on the machine stack that runs. False: no space. */
bool prof_stack_shield(struct prof_thread *t);
/* `top` is the link of a segment that continues another: goes back to that one. In a slow section. */
void prof_stack_retreat(struct prof_thread *t);
/* Goes on in a segment that was left, with `top` in it: a hook had prepared it for a frame of its own, and a signal
 * handler's hooks, finding it empty, went back from it before that. In a slow section. */
void prof_stack_return(struct prof_thread *t, struct prof_machine *machine, struct fmt_rec_stack *segment,
                       struct fmt_rec_frame *top);
/* Goes back from every segment that has no frame left. A signal handler with hooks of its own thereby leaves segment
 * and machine stack as it found them, which the hook that it interrupted relies on. In a slow section. */
void prof_stack_rest(struct prof_thread *t);
/* Moves the start of every open frame of the running machine stack forward: the clock stood still. */
void prof_frames_shift(struct prof_thread *t, uint64_t ticks);
/* The same by `all` ticks and, for frames that were open at `when`, `then` ticks more. Returns how many frames there
 * are, all of which it looked at; 0 where there is nothing to do. Anywhere. */
uint64_t prof_frames_shift_since(struct prof_thread *t, uint64_t when, uint64_t then, uint64_t all);
/* The machine stack whose memory `sp` lies in, or NULL. Anywhere. */
struct prof_machine *prof_machine_find(const struct prof_thread *t, uintptr_t sp);
/* The machine stack with just this range, or NULL. Anywhere. */
struct prof_machine *prof_machine_with_range(const struct prof_thread *t, uintptr_t low, uintptr_t high);
/* Makes `machine` the one whose range the thread has. In a slow section. */
void prof_machine_use(struct prof_thread *t, struct prof_machine *machine);
/* Makes `top` the innermost frame; it lies in `segment`. In a slow section. */
void prof_stack_use(struct prof_thread *t, struct fmt_rec_stack *segment, struct fmt_rec_frame *top);
/* A signal handler runs on its own stack [low, high): its frames continue those that it interrupted, whose clock goes
 * on. In a slow section. False: no space. */
bool prof_stack_enter_signal(struct prof_thread *t, uintptr_t low, uintptr_t high);

#endif
