/*
 * Frames of the shadow stack: opened and closed by hooks.c, ordered by machine stack and segment in stack.c, found dead
 * in unwind.c, and marked while recursion is open in recursion.c. All of it is called by the thread that the frames
 * belong to.
 */
#ifndef CALLSIG_FRAMES_H
#define CALLSIG_FRAMES_H

#include "internal.h"

#define CS_NOT_STARTED UINT64_MAX /* start_ticks of a frame that is about to begin */

/* A machine stack of a thread, in its tree's arena. Its segments are in the recording. */
struct cs_machine {
  struct cs_machine *next;        /* made before this one */
  struct cs_machine *outer;       /* of an alternate signal stack: the machine stack that the signal interrupted */
  struct cs_rec_stack *outermost; /* its first segment */
  uintptr_t low, high;
  /* What the thread has of it while it does not run: */
  struct cs_rec_stack *stack;
  struct cs_rec_frame *top;
  struct cs_rec_frame *marked;
  uint64_t recursion;
};

static inline struct cs_rec_edge *cs_frame_edge(const struct cs_rec_frame *frame)
{
  return (struct cs_rec_edge *)__atomic_load_n(&frame->edge, __ATOMIC_RELAXED);
}

/* Is this the link at the start of a segment? `stack` is the segment that the frame lies in. */
static inline bool cs_frame_is_link(const struct cs_rec_stack *stack, const struct cs_rec_frame *frame)
{
  return frame == stack->frames;
}

/* Is this the first frame of a segment that continues another? Its end goes back to that one. */
static inline bool cs_frame_is_first(const struct cs_rec_stack *stack, const struct cs_rec_frame *frame)
{
  return frame == stack->frames + 1 && stack->outer;
}

/* Does the frame stand for a call that could not be recorded? */
static inline bool cs_frame_is_lost(const struct cs_rec_frame *frame)
{
  return !frame->edge && frame->flags == CS_FRAME_LOST;
}

/* Does a frame with these flags count nowhere, since its thread warmed up when it began? */
static inline bool cs_frame_is_discarded(const struct cs_thread *t, uint64_t flags)
{
  return (flags & ~(uint64_t)CS_FRAME_BITS) == (uintptr_t)t->discard;
}

/* Is nothing open on the machine stack that runs? */
static inline bool cs_stack_at_bottom(const struct cs_thread *t)
{
  return t->stack == t->machine->outermost && cs_frame_is_link(t->stack, t->top);
}

/* The edge of the innermost frame at or below `frame` that is not in progress; a link's at last, so never NULL. `frame`
 * and the link of its segment bound the walk. */
static inline struct cs_rec_edge *cs_frame_caller(const struct cs_rec_frame *frame)
{
  while (!frame->edge)
    frame--;
  return cs_frame_edge(frame);
}

static inline struct cs_rec_variant *cs_edge_to(const struct cs_rec_edge *edge)
{
  return (struct cs_rec_variant *)edge->to;
}

static inline struct cs_plan *cs_edge_plan(const struct cs_rec_edge *edge)
{
  return (struct cs_plan *)edge->site_info;
}

/* Where the thread's cache keeps an edge from `from` at the site `pc`. */
static inline struct cs_rec_edge **cs_cache_place(const struct cs_thread *t, const struct cs_rec_variant *from,
                                                  uintptr_t pc)
{
  uint32_t hash = (uint32_t)((uintptr_t)from ^ pc) * (uint32_t)CS_CACHE_FACTOR;
  return &t->cache[hash >> (32 - CS_CACHE_BITS)];
}

/* stack.c ---------------------------------------------------------------------------------------------------------- */

/* Makes a machine stack with a first segment of `frames` frames and makes it the one that runs; the one before, if any,
 * was suspended. In a slow section. False: no space. */
bool cs_stack_open(struct cs_thread *t, uintptr_t low, uintptr_t high, uint32_t frames);
/* Shows readers the thread's machine stacks; none while it warms up. In a slow section. */
void cs_stack_publish(struct cs_thread *t);
/* Continues the current segment in another, in a slow section. False: no space. */
bool cs_stack_grow(struct cs_thread *t);
/* `top` is the link of a segment that continues another: goes back to that one. In a slow section. */
void cs_stack_retreat(struct cs_thread *t);
/* Goes back from every segment that has no frame left. A signal handler with hooks of its own thereby leaves segment
 * and machine stack as it found them, which the hook that it interrupted relies on. In a slow section. */
void cs_stack_rest(struct cs_thread *t);
/* Makes the machine stack of `sp` the one that runs. In a slow section. False: no space. */
bool cs_stack_follow(struct cs_thread *t, uintptr_t sp, uint64_t now);
/* Moves the start of every open frame of the running machine stack forward: the clock stood still. */
void cs_frames_shift(struct cs_thread *t, uint64_t ticks);

/* Puts the running machine stack away and runs another one, in a slow section. */
void cs_stack_run(struct cs_thread *t, struct cs_machine *machine, uint64_t now);

/* unwind.c --------------------------------------------------------------------------------------------------------- */

/* Ends `top`, which is open, at `now` without an exit hook. In a slow section. */
void cs_frame_close(struct cs_thread *t, uint64_t now);
/* The CFA of the innermost open frame, UINTPTR_MAX without one. */
uintptr_t cs_frame_cfa(const struct cs_thread *t);
/* May a function begin in the frame of `top`, which is open, with the same CFA: it is inlined there? */
bool cs_frame_shared(const struct cs_rec_frame *top, const struct cs_site *site);
/* Is `top` alive, and its machine stack the one that runs, when `sp` is the stack pointer? */
bool cs_frame_live(const struct cs_thread *t, uintptr_t sp);
/* Ends the frames that are dead when a function is called from the stack pointer `sp`. In a slow section. */
void cs_unwind_for_call(struct cs_thread *t, uintptr_t sp, uint64_t now);
/* Ends the frames of the current machine stack that are dead when a function with this CFA begins. In a slow section.
 */
void cs_unwind_for_entry(struct cs_thread *t, uintptr_t cfa, const struct cs_site *site, uint64_t now);
enum cs_exit {
  CS_EXIT_TOP,       /* `top` is the frame that ends */
  CS_EXIT_LOST,      /* a call that could not be recorded ended: its place was taken off */
  CS_EXIT_UNMATCHED, /* nobody's */
};
/* The same when control is in a function whose exit hook was called with rsp `sp`: whose end this is. */
enum cs_exit cs_unwind_for_exit(struct cs_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp,
                                uint64_t now);

/* recursion.c ------------------------------------------------------------------------------------------------------ */

/* Do the edges that cs_recursion_enter() will mark have their recursion records? Anywhere. */
bool cs_recursion_ready(struct cs_thread *t, struct cs_rec_edge *edge);
/* Makes the records that are missing. In a slow section. False: no space. */
bool cs_recursion_prepare(struct cs_thread *t, struct cs_rec_edge *edge);
/* Is the edge's callee inactive in every group but, by the tree, its module? Then a call of it counts as plain even
 * while recursion is open. Anywhere. */
bool cs_recursion_outermost(struct cs_thread *t, struct cs_rec_edge *edge);
/* Is this very edge active (with a frame that is open)? */
bool cs_recursion_active(struct cs_rec_edge *edge);
/* Settles the frames up to `frame` - 1 and marks `frame`, which is published, as a call of `edge`. True when it owns
 * what the fast path of a back edge owns, and no more. Anywhere. */
bool cs_recursion_enter(struct cs_thread *t, struct cs_rec_frame *frame, struct cs_rec_edge *edge);
/* Clears the marks of `frame`, which is `top` and marked, and gives the groups that it was outermost in, one bit each.
 */
uint32_t cs_recursion_leave(struct cs_thread *t, struct cs_rec_frame *frame, struct cs_rec_edge *edge);
/* `frame`, which is `top`, is in progress and dead: a signal handler left its hook by longjmp. Takes back what the hook
 * may have marked and counted before. In a slow section. */
void cs_recursion_repair(struct cs_thread *t, struct cs_rec_frame *frame);
/* Clears or sets the marks of all frames of the running machine stack that have any: another stack runs for a while. */
void cs_recursion_suspend(struct cs_thread *t);
void cs_recursion_resume(struct cs_thread *t);
/* The edge's mode by its flags, plan and whether it is active. */
void cs_edge_set_mode(struct cs_rec_edge *edge, bool active);

/* hooks.c ---------------------------------------------------------------------------------------------------------- */

/* Where a call of the edge counts now, with the frame's bits; 0 when records have to be made first. Anywhere. */
uint64_t cs_frame_counters(struct cs_thread *t, struct cs_rec_edge *edge);
/* Opens a frame of `edge` above `top`, where there is room. A handler may interrupt anywhere: its frames go above a
 * frame in progress once `top` has moved, and until the edge is stored the frame counts for nothing. `ticks` 0: the
 * clock, read last. Anywhere. */
void cs_frame_push(struct cs_thread *t, struct cs_rec_edge *edge, uintptr_t cfa, uint64_t counters, uint64_t ticks);
/* Counts a call of the edge that the bounds have merged. Anywhere. */
void cs_frame_count_merged(const struct cs_rec_edge *edge);
/* Closes `top`, an open frame, that ends at `now`: pops it, then counts. Anywhere. */
void cs_frame_end(struct cs_thread *t, uint64_t now);

#endif
