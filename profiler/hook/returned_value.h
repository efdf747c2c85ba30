/*
 * The end of a call whose return value is known.
 */
#ifndef CALLSIG_PROFILER_HOOK_RETURNED_VALUE_H
#define CALLSIG_PROFILER_HOOK_RETURNED_VALUE_H

#include "profiler/arch/primitives.h"
#include "profiler/arch/registers.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/returned.h"

/* May the call that ends with the canonical frame address `cfa` be one of which it is told what it returned? Where its
 * frame is the innermost one, as nearly always, it is known. */
static inline bool prof_returned_is_told(uintptr_t cfa)
{
  const struct prof_thread *t = prof_self;
  struct prof_place place;
  if (!prof_thread_running(t) || !prof_place_now(t, &place))
    return true;
  const struct fmt_rec_edge *edge = prof_frame_edge(place.top);
  return !edge || place.top->cfa != cfa || edge->flags & FMT_EDGE_RETURNS;
}
/* The value that lies in these registers, and in the vector registers as they are. */
static inline struct prof_returned prof_returned_now(uint64_t general)
{
  uint64_t vectors[PROF_VECTORS];
  prof_capture_xmm(vectors);
  return (struct prof_returned){.general = general, .vector = vectors[0]};
}

/* Ends the innermost frame, of an edge with FMT_EDGE_RETURNS, at `now`, as a call that returned this. Where nothing can
 * be made for a value that is new, it ends as one that returned something unknown. The frame is not the first of a
 * segment. */
void prof_returned_end(struct prof_thread *t, struct prof_place place, uint64_t now,
                       const struct prof_returned *returned);
/* The same of a frame of any edge, in a slow section; `returned` NULL: that is not known. */
void prof_returned_end_slowly(struct prof_thread *t, struct prof_place place, uint64_t now,
                              const struct prof_returned *returned);

#endif
