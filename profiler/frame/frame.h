/*
 * Opening and closing frames of the shadow stack, and what an ended call counts.
 */
#ifndef CALLSIG_PROFILER_FRAME_FRAME_H
#define CALLSIG_PROFILER_FRAME_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/frame/recursion.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/sampling.h"

/* Where a call of the edge above `place` counts that is not plain, since recursion is open or the edge is a back edge;
 * as prof_frame_counters() has it. Anywhere. */
__attribute__((nonnull)) uint64_t prof_frame_counters_in_recursion(struct prof_thread *t, struct prof_place place,
                                                                   struct fmt_rec_edge *edge);
/* Where a call of the edge above `place` counts, with the frame's bits; 0 when records have to be made first. Anywhere.
 */
__attribute__((nonnull)) static inline uint64_t prof_frame_counters(struct prof_thread *t, struct prof_place place,
                                                                    struct fmt_rec_edge *edge)
{
  if (PROF_UNLIKELY(t->warming))
    return (uintptr_t)t->discard | PROF_FRAME_GENERIC;
  /* The mode outlives the last frame of a back edge: see recursion.c. */
  if (t->recursion == 0 && !(edge->flags & FMT_EDGE_BACK))
    t->mode = PROF_MODE_PLAIN;
  const bool plain = t->mode == PROF_MODE_PLAIN ? !(edge->flags & FMT_EDGE_BACK) : prof_recursion_outermost(t, edge);
  return PROF_LIKELY(plain) ? (uintptr_t)&edge->calls : prof_frame_counters_in_recursion(t, place, edge);
}
/* Marks the frame above `place`, which is in progress and counts at `counters`, as a call of `edge`. Anywhere. */
__attribute__((nonnull)) void prof_frame_mark(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge,
                                              uint64_t counters);
/* Makes `frame`, above the innermost one, the innermost: in progress, of a call with this canonical frame address.
 * A handler that comes before `top` has moved has frames of its own there, and leaves no address when they end: so it
 * is stored again. A call without one would stay open for good once longjmp() has left it. Anywhere. */
__attribute__((nonnull)) static inline void prof_frame_reserve(struct prof_thread *t, struct fmt_rec_frame *frame,
                                                               uintptr_t cfa)
{
  __atomic_store_n(&frame->cfa, cfa, __ATOMIC_RELEASE);
  __atomic_store_n(&t->top, frame, __ATOMIC_RELEASE);
  __atomic_store_n(&frame->cfa, cfa, __ATOMIC_RELEASE);
}
/* Opens a frame of `edge` above `place`, where there is room. A handler may interrupt anywhere: its frames go above a
 * frame in progress once `top` has moved, and until the edge is stored the frame counts for nothing. What a function
 * begins by name has no comparison, and the function's own address, by which the exits of sleds know a frame: their
 * fast path must not take it for the function's. Where not every call is timed, that path does not ask how long the
 * call of an inherited edge, of which every one is, has waited for a processor. `ticks` 0: the clock, read last.
 * Anywhere. */
__attribute__((nonnull)) static inline void prof_frame_push(struct prof_thread *t, struct prof_place place,
                                                            struct fmt_rec_edge *edge, uintptr_t cfa, uint64_t counters,
                                                            uint64_t ticks)
{
  struct fmt_rec_frame *frame = place.top + 1;
  if (prof_frame_is_first(place.stack, frame) || edge->flags & (FMT_EDGE_RETURNS | FMT_EDGE_INHERITED) ||
      !edge->site_info)
    counters |= PROF_FRAME_GENERIC;
  const bool counted = !ticks && prof_sampling_skips(t, edge);
  prof_frame_reserve(t, frame, cfa);
  frame->flags = counters;
  if (PROF_UNLIKELY(counters & PROF_FRAME_MARKED))
    prof_frame_mark(t, place, edge, counters);
  __atomic_store_n(&frame->start_ticks, counted ? PROF_NOT_TIMED : ticks ? ticks : prof_clock_now(), __ATOMIC_RELEASE);
  __atomic_store_n(&frame->edge, (uintptr_t)edge, __ATOMIC_RELEASE);
}
/* Counts a call of the edge that the bounds have merged. Anywhere. */
void prof_frame_count_merged(const struct fmt_rec_edge *edge);
/* Closes the frame `place.top`, which is open and the innermost of what runs, and ends at `now`: pops it, then counts.
 * Anywhere. */
void prof_frame_end(struct prof_thread *t, struct prof_place place, uint64_t now);
/* The same of a call that counts in another edge than it was opened in, of the same tree: `as`, by what the call
 * returned. NULL: in its own. Anywhere. */
void prof_frame_end_as(struct prof_thread *t, struct prof_place place, uint64_t now, struct fmt_rec_edge *as);
/* The same as prof_frame_end(), where the frames around it may end at `now` too, and so cannot go without what passes
 * while the kernel is asked for waits. Anywhere. */
void prof_frame_cut(struct prof_thread *t, struct prof_place place, uint64_t now);
/* Adds a call of `edge` that has ended, after `ticks`, to the edge's histogram and to the timeline, as far as they are
 * kept. For calls of t->exit_least ticks and more. The hooks' assembly calls it. Anywhere. */
void prof_frame_ended(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks);
/* The same of the timeline alone, and looks at what is asked of the process. For calls of t->timeline_min ticks and
 * more, of which the recording's timeline may take fewer. The hooks' assembly calls it. Anywhere. */
void prof_frame_long(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks);
/* A call of `edge`, which has FMT_EDGE_SAMPLED, was timed and counted with `ticks`, by the hooks' assembly: all of it
 * but its extremes, its histogram and the timeline. Gives what it counts as in these: what it has taken itself, as
 * far as that is sure (prof_waiting_extreme()). The hooks' assembly calls it. Anywhere. */
uint64_t prof_frame_timed(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks);
/* Opens a frame of `edge` above `top`, with these ticks as its start, in a slow section. False: no space. */
__attribute__((nonnull)) bool prof_frame_open(struct prof_thread *t, struct fmt_rec_edge *edge, uintptr_t cfa,
                                              uint64_t ticks);

#endif
