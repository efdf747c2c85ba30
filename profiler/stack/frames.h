/*
 * Frames of the shadow stack: opened and closed by hooks.c, ordered by machine stack and segment in stack.c, found dead
 * in unwind.c, and marked while recursion is open in recursion.c. All of it is called by the thread that the frames
 * belong to.
 */
#ifndef CALLSIG_PROFILER_STACK_FRAMES_H
#define CALLSIG_PROFILER_STACK_FRAMES_H

#include "profiler/base/internal.h"

#define PROF_NOT_STARTED UINT64_MAX /* start_ticks of a frame that is about to begin */

/* A machine stack of a thread, in its tree's arena. Its segments are in the recording. */
struct prof_machine {
  struct prof_machine *next;       /* made before this one */
  struct prof_machine *outer;      /* of an alternate signal stack: the machine stack that the signal interrupted */
  struct fmt_rec_stack *outermost; /* its first segment */
  uintptr_t low, high;
  /* What the thread has of it while it does not run: */
  struct fmt_rec_stack *stack;
  struct fmt_rec_frame *top;
  struct fmt_rec_frame *marked;
  uint64_t recursion;
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

/* Is this the first frame of a segment that continues another? Its end goes back to that one. */
static inline bool prof_frame_is_first(const struct fmt_rec_stack *stack, const struct fmt_rec_frame *frame)
{
  return frame == stack->frames + 1 && stack->outer;
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

/* Is nothing open on the machine stack that runs? */
static inline bool prof_stack_at_bottom(const struct prof_thread *t)
{
  return t->stack == t->machine->outermost && prof_frame_is_link(t->stack, t->top);
}

/* The edge of the innermost frame at or below `frame` that is not in progress; a link's at last, so never NULL. `frame`
 * and the link of its segment bound the walk. */
static inline struct fmt_rec_edge *prof_frame_caller(const struct fmt_rec_frame *frame)
{
  while (!frame->edge)
    frame--;
  return prof_frame_edge(frame);
}

static inline struct fmt_rec_variant *prof_edge_to(const struct fmt_rec_edge *edge)
{
  return (struct fmt_rec_variant *)edge->to;
}

static inline struct prof_plan *prof_edge_plan(const struct fmt_rec_edge *edge)
{
  return (struct prof_plan *)edge->site_info;
}

/* Where the thread's cache keeps an edge from `from` at the site `pc`. */
static inline struct fmt_rec_edge **prof_cache_place(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                                     uintptr_t pc)
{
  uint32_t hash = (uint32_t)((uintptr_t)from ^ pc) * (uint32_t)PROF_CACHE_FACTOR;
  return &t->cache[hash >> (32 - PROF_CACHE_BITS)];
}

/* stack.c ---------------------------------------------------------------------------------------------------------- */

/* Makes a machine stack with a first segment of `frames` frames and makes it the one that runs; the one before, if any,
 * was suspended. In a slow section. False: no space. */
bool prof_stack_open(struct prof_thread *t, uintptr_t low, uintptr_t high, uint32_t frames);
/* Shows readers the thread's machine stacks; none while it warms up. In a slow section. */
void prof_stack_publish(struct prof_thread *t);
/* Continues the current segment in another, in a slow section. False: no space. */
bool prof_stack_grow(struct prof_thread *t);
/* `top` is the link of a segment that continues another: goes back to that one. In a slow section. */
void prof_stack_retreat(struct prof_thread *t);
/* Goes back from every segment that has no frame left. A signal handler with hooks of its own thereby leaves segment
 * and machine stack as it found them, which the hook that it interrupted relies on. In a slow section. */
void prof_stack_rest(struct prof_thread *t);
/* Makes the machine stack of `sp` the one that runs. In a slow section. False: no space. */
bool prof_stack_follow(struct prof_thread *t, uintptr_t sp, uint64_t now);
/* Moves the start of every open frame of the running machine stack forward: the clock stood still. */
void prof_frames_shift(struct prof_thread *t, uint64_t ticks);

/* Puts the running machine stack away and runs another one, in a slow section. */
void prof_stack_run(struct prof_thread *t, struct prof_machine *machine, uint64_t now);

/* unwind.c --------------------------------------------------------------------------------------------------------- */

/* Ends `top`, which is open, at `now` without an exit hook. In a slow section. */
void prof_frame_close(struct prof_thread *t, uint64_t now);
/* The CFA of the innermost open frame, UINTPTR_MAX without one. */
uintptr_t prof_frame_cfa(const struct prof_thread *t);
/* May a function begin in the frame of `top`, which is open, with the same CFA: it is inlined there? */
bool prof_frame_shared(const struct fmt_rec_frame *top, const struct prof_site *site);
/* Is `top` alive, and its machine stack the one that runs, when `sp` is the stack pointer? */
bool prof_frame_live(const struct prof_thread *t, uintptr_t sp);
/* Ends the frames that are dead when a function is called from the stack pointer `sp`. In a slow section. */
void prof_unwind_for_call(struct prof_thread *t, uintptr_t sp, uint64_t now);
/* Ends the frames of the current machine stack that are dead when a function with this CFA begins. In a slow section.
 */
void prof_unwind_for_entry(struct prof_thread *t, uintptr_t cfa, const struct prof_site *site, uint64_t now);
enum prof_exit {
  PROF_EXIT_TOP,       /* `top` is the frame that ends */
  PROF_EXIT_LOST,      /* a call that could not be recorded ended: its place was taken off */
  PROF_EXIT_UNMATCHED, /* nobody's */
};
/* The same when control is in a function whose exit hook was called with rsp `sp`: whose end this is. */
enum prof_exit prof_unwind_for_exit(struct prof_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp,
                                    uint64_t now);

/* recursion.c ------------------------------------------------------------------------------------------------------ */

/* Do the edges that prof_recursion_enter() will mark have their recursion records? Anywhere. */
bool prof_recursion_ready(struct prof_thread *t, struct fmt_rec_edge *edge);
/* Makes the records that are missing. In a slow section. False: no space. */
bool prof_recursion_prepare(struct prof_thread *t, struct fmt_rec_edge *edge);
/* Is the edge's callee inactive in every group but, by the tree, its module? Then a call of it counts as plain even
 * while recursion is open. Anywhere. */
bool prof_recursion_outermost(struct prof_thread *t, struct fmt_rec_edge *edge);
/* Is this very edge active (with a frame that is open)? */
bool prof_recursion_active(struct fmt_rec_edge *edge);
/* Settles the frames up to `frame` - 1 and marks `frame`, which is published, as a call of `edge`. True when it owns
 * what the fast path of a back edge owns, and no more. Anywhere. */
bool prof_recursion_enter(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge);
/* Clears the marks of `frame`, which is `top` and marked, and gives the groups that it was outermost in, one bit each.
 */
uint32_t prof_recursion_leave(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge);
/* `frame`, which is `top`, is in progress and dead: a signal handler left its hook by longjmp. Takes back what the hook
 * may have marked and counted before. In a slow section. */
void prof_recursion_repair(struct prof_thread *t, struct fmt_rec_frame *frame);
/* Clears or sets the marks of all frames of the running machine stack that have any: another stack runs for a while. */
void prof_recursion_suspend(struct prof_thread *t);
void prof_recursion_resume(struct prof_thread *t);
/* The edge's mode by its flags, plan and whether it is active. */
void prof_edge_set_mode(struct fmt_rec_edge *edge, bool active);

/* hooks.c ---------------------------------------------------------------------------------------------------------- */

/* Where a call of the edge counts now, with the frame's bits; 0 when records have to be made first. Anywhere. */
uint64_t prof_frame_counters(struct prof_thread *t, struct fmt_rec_edge *edge);
/* Opens a frame of `edge` above `top`, where there is room. A handler may interrupt anywhere: its frames go above a
 * frame in progress once `top` has moved, and until the edge is stored the frame counts for nothing. `ticks` 0: the
 * clock, read last. Anywhere. */
void prof_frame_push(struct prof_thread *t, struct fmt_rec_edge *edge, uintptr_t cfa, uint64_t counters,
                     uint64_t ticks);
/* Counts a call of the edge that the bounds have merged. Anywhere. */
void prof_frame_count_merged(const struct fmt_rec_edge *edge);
/* Closes `top`, an open frame, that ends at `now`: pops it, then counts. Anywhere. */
void prof_frame_end(struct prof_thread *t, uint64_t now);

#endif
