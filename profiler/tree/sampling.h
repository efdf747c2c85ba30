/*
 * Which calls of an edge are timed, when not all are.
 *
 * An edge begins by timing each call. Once its calls have shown that reading the clock costs too much beside them, one
 * in many is timed, drawn at random, and the others count with what the timed ones took of late; when its calls turn
 * out to be long after all, each is timed again. docs/times.md has the reasons and the errors.
 */
#ifndef CALLSIG_PROFILER_TREE_SAMPLING_H
#define CALLSIG_PROFILER_TREE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/thread.h"

/* The record of an edge that has FMT_EDGE_SAMPLED. Anywhere. */
static inline struct fmt_rec_sampling *prof_edge_sampling(const struct fmt_rec_edge *edge)
{
  return (struct fmt_rec_sampling *)(uintptr_t)edge - 1;
}

/* Are only some calls of the edge timed now? Anywhere. */
static inline bool prof_edge_is_sampled(const struct fmt_rec_edge *edge)
{
  return edge->flags & FMT_EDGE_SAMPLED && prof_edge_sampling(edge)->rate;
}

/* Sets how the thread draws, by the process's settings. In a slow section. */
void prof_sampling_start(struct prof_thread *t);

/* Is a call, of those that are drawn, to be counted only? Draws. Anywhere. */
bool prof_sampling_draw(struct prof_thread *t);
/* Is the call of `edge` that begins now to be counted only? Anywhere. */
static inline bool prof_sampling_skips(struct prof_thread *t, const struct fmt_rec_edge *edge)
{
  return edge->mode & PROF_MODE_SAMPLED && prof_sampling_draw(t);
}

/* Of the recursion record of an edge, in places of `active` that are no group's: whether outermost calls are drawn as
 * all others are (else each is timed), how many of them were timed, and what these took of late. */
enum { PROF_OUTERMOST_DRAWN = FMT_GROUP_COUNT, PROF_OUTERMOST_TIMED, PROF_OUTERMOST_RECENT };

/* Is each call of the edge timed that begins while none of it is open, though others are drawn? Anywhere. */
static inline bool prof_sampling_spares_outermost(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
  return recursion && prof_edge_is_sampled(edge) && !recursion->active[PROF_OUTERMOST_DRAWN];
}

/* A call of the edge, which has FMT_EDGE_SAMPLED, ended after `ticks` of the clock; `outermost`: it began while none of
 * the edge was open. Sees to how the next ones are timed. True: the edge has a recursion record, and its mode is to be
 * set anew; without one it is. Anywhere. */
bool prof_sampling_note(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t ticks, bool outermost);

/* One of `ticks` that was told when it had ended, of an edge that may have FMT_EDGE_SAMPLED, and whose calls are all
 * told so. By one thread at a time. */
void prof_sampling_tell(struct fmt_rec_edge *edge, uint64_t ticks);

/* What calls of the edge, which has FMT_EDGE_SAMPLED, took of late, in ticks; UINT64_MAX before the first. Anywhere. */
uint64_t prof_sampling_usual(const struct fmt_rec_edge *edge);

/* As before the first call of the edge, whose mode is to be set anew. In a slow section. */
void prof_sampling_clear(struct fmt_rec_edge *edge);

/* Adds what `source` counted to `target`, and clears it. In a slow section. */
void prof_sampling_move(struct fmt_rec_edge *target, struct fmt_rec_edge *source);

#endif
