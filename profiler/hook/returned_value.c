/*
 * The end of a call whose return value is known: the edge that it counts in, found with signals open, or made in a slow
 * section.
 */
#include "profiler/hook/returned_value.h"

#include "profiler/base/compiler.h"
#include "profiler/base/recording.h"
#include "profiler/frame/frame.h"
#include "profiler/frame/recursion.h"
#include "profiler/stack/histogram.h"
#include "profiler/tree/edge_places.h"

#define QUICK_WORDS 32u /* of a signature on the program's stack, which may be small */

/* Does the frame count where recursion is told apart? Then so has its call in the other edge. */
static bool needs_recursion(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge)
{
  return (frame->flags & ~(uint64_t)PROF_FRAME_BITS) != (uintptr_t)&edge->calls;
}

/* The edge that the call counts in, made when it is new. NULL: no space. */
static struct fmt_rec_edge *make(struct prof_thread *t, const struct fmt_rec_frame *frame,
                                 const struct fmt_rec_edge *edge, const struct prof_returned *returned)
{
  uint32_t count;
  prof_tree_check_pressure(&t->tree);
  if (t->full || t->tree.pressure >= PROF_PRESSURE_SIGNATURES)
    return NULL;
  while ((count = prof_returned_words(edge, returned, t->words, t->word_room)) == 0)
    if (!prof_thread_more_words(t))
      return NULL;
  struct fmt_rec_edge *as = prof_returned_edge(&t->tree, edge, t->words, count);
  if (as && needs_recursion(frame, edge) && !as->recursion && !prof_recursion_prepare(t, as))
    return NULL;
  prof_histogram_prepare(t);
  return as;
}

void prof_returned_end_slowly(struct prof_thread *t, struct prof_place place, uint64_t now,
                              const struct prof_returned *returned)
{
  struct fmt_rec_edge *edge = prof_frame_edge(place.top);
  const bool is_told = returned && edge->flags & FMT_EDGE_RETURNS && !(edge->flags & FMT_EDGE_INHERITED) &&
                       !prof_frame_is_discarded(t, place.top->flags);
  prof_frame_end_as(t, place, now, is_told ? make(t, place.top, edge, returned) : NULL);
}

static PROF_COLD void end_new(struct prof_thread *t, struct prof_place place, uint64_t now,
                              const struct prof_returned *returned)
{
  if (!prof_slow_enter(t)) {
    prof_frame_end(t, place, now);
    return;
  }
  /* Frames may have been closed on the way in. */
  const struct prof_place settled = prof_place_settled(t);
  if (settled.top == place.top && prof_frame_edge(place.top))
    prof_returned_end_slowly(t, settled, now, returned);
  prof_stamp_last();
  prof_slow_leave(t);
}

void prof_returned_end(struct prof_thread *t, struct prof_place place, uint64_t now,
                       const struct prof_returned *returned)
{
  uint64_t words[QUICK_WORDS];
  const struct fmt_rec_edge *edge = prof_frame_edge(place.top);
  const uint32_t count = prof_returned_words(edge, returned, words, QUICK_WORDS);
  struct fmt_rec_edge *as = count ? prof_returned_find(&t->tree, edge, words, count) : NULL;
  if (PROF_LIKELY(as && (as->recursion || !needs_recursion(place.top, edge))))
    prof_frame_end_as(t, place, now, as);
  else if (edge->flags & FMT_EDGE_INHERITED || prof_frame_is_discarded(t, place.top->flags) || t->full)
    prof_frame_end(t, place, now);
  else
    end_new(t, place, now, returned);
}
