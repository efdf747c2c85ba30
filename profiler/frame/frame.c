/*
 * Frames of the shadow stack: opened, closed, and counted in the edges of the tree.
 */
#include "profiler/frame/frame.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/process.h"
#include "profiler/frame/recursion.h"
#include "profiler/frame/returning.h"
#include "profiler/stack/histogram.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/waiting.h"
#include "profiler/tree/sampling.h"

uint64_t prof_frame_counters_in_recursion(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge)
{
  uint64_t counters = (uintptr_t) & ((struct fmt_rec_recursion *)edge->recursion)->calls;
  if (prof_recursion_active(edge))
    return counters;
  if (!prof_recursion_ready(t, place, edge))
    return 0;
  return counters | PROF_FRAME_GENERIC | PROF_FRAME_MARKED | (edge->flags & FMT_EDGE_BACK ? PROF_FRAME_OPENED : 0u);
}

void prof_frame_mark(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge, uint64_t counters)
{
  struct fmt_rec_frame *frame = place.top + 1;
  if (counters & PROF_FRAME_OPENED) {
    t->recursion++;
    t->mode = PROF_MODE_RECURSION;
  }
  /* The marks name this frame, so it has to be open before they are made. */
  __atomic_store_n(&frame->start_ticks, PROF_NOT_STARTED, __ATOMIC_RELEASE);
  __atomic_store_n(&frame->edge, (uintptr_t)edge, __ATOMIC_RELEASE);
  /* Not the first one of a segment, whose end goes back to the segment before, nor that of an edge which is always
   * called generically, or has another mode than calls inside of it. */
  bool ends_fast = !prof_frame_is_first(place.stack, frame) &&
                   !(edge->flags & (FMT_EDGE_GENERIC | FMT_EDGE_LOOKS | FMT_EDGE_INHERITED)) &&
                   !prof_sampling_spares_outermost(edge);
  uint32_t fast = prof_recursion_enter(t, place, edge);
  if (fast != PROF_FRAME_GENERIC && ends_fast)
    frame->flags = (counters & ~(uint64_t)PROF_FRAME_BITS) | fast;
}

void prof_frame_count_merged(const struct fmt_rec_edge *edge)
{
  if (edge->flags & FMT_EDGE_ANY)
    prof_count_loss(FMT_LOSS_EDGES_MERGED, 1);
  if (edge->flags & FMT_EDGE_MERGED)
    prof_count_loss(FMT_LOSS_CONTEXTS_MERGED, 1);
}

bool prof_frame_open(struct prof_thread *t, struct fmt_rec_edge *edge, uintptr_t cfa, uint64_t ticks)
{
  if (t->top >= t->limit && !prof_stack_grow(t))
    return false;
  const struct prof_place place = prof_place_settled(t);
  uint64_t counters = prof_frame_counters(t, place, edge);
  if (!counters && prof_recursion_prepare(t, edge))
    counters = prof_frame_counters(t, place, edge);
  if (!counters)
    return false;
  prof_frame_push(t, place, edge, cfa, counters, ticks);
  return true;
}

void prof_frame_long(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks)
{
  prof_thread_look(t);
  /* The thread of the calibration has no timeline, whatever the process has. */
  if (ticks >= t->timeline_min && ticks >= prof_process.header->timeline_min && start != PROF_NOT_STARTED)
    prof_ring_call(t, edge, start, ticks);
}

void prof_frame_ended(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks)
{
  if (prof_process.settings.percentiles && !(edge->flags & FMT_EDGE_INHERITED))
    prof_histogram_call(t, edge, ticks);
  prof_frame_long(t, edge, start, ticks);
}

/* What of a call's ticks, timed from `start` to `end`, it has taken itself, once the thread was found to have been off
 * its processor. Where that is uncertain, a call that counts for many takes what they took of late, as they do. */
static PROF_COLD uint64_t without_waits(struct prof_thread *t, const struct fmt_rec_frame *frame,
                                        struct fmt_rec_edge *edge, uint64_t start, uint64_t end, bool outermost,
                                        bool running, bool *told_apart)
{
  const bool is_apart = outermost && prof_sampling_spares_outermost(edge);
  const bool has_usual = edge->flags & FMT_EDGE_SAMPLED && !is_apart;
  const struct prof_ending call = {.frame = frame,
                                   .edge = edge,
                                   .start = start,
                                   .end = end,
                                   .usual = has_usual ? prof_sampling_usual(edge) : PROF_USUAL_UNKNOWN,
                                   .weighs = prof_edge_is_sampled(edge) && !is_apart};
  const struct prof_waited waited = prof_waiting_take(t, &call, running);
  if (waited.may_be_before)
    prof_waiting_look_at_entries(edge);
  const uint64_t ticks = end - start - waited.ticks;
  *told_apart = waited.uncertain && call.weighs;
  return *told_apart && ticks > prof_edge_sampling(edge)->imputed ? prof_edge_sampling(edge)->imputed : ticks;
}

/* Takes ticks off where the assembly has counted a call of the edge that began at `start`: the frame that it closed
 * still tells. False, and nothing is done, where hooks of a signal handler were there meanwhile. */
static bool take_back(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks)
{
  struct prof_place place;
  if (!prof_place_now(t, &place) || place.top == t->limit || place.top[1].start_ticks != start)
    return false;
  const uint64_t flags = place.top[1].flags, less = -ticks;
  struct fmt_rec_edge *caller = prof_place_caller(place);
  uint64_t *counters = (uint64_t *)(flags & ~(uint64_t)PROF_FRAME_BITS);
  struct fmt_rec_recursion *recursion = (struct fmt_rec_recursion *)edge->recursion;
  if (!caller || (counters != &edge->calls && (!recursion || counters != &recursion->calls)))
    return false;
  prof_add(&counters[1], less);
  prof_add(&caller->children, less);
  if ((flags & PROF_FRAME_BITS) == PROF_FRAME_BACK) {
    prof_add(&recursion->cumulative[FMT_GROUP_SIGNATURE], less);
    prof_add(&recursion->cumulative[FMT_GROUP_SIGNATURE_PAIR], less);
    if (recursion->active[FMT_GROUP_SIGNATURE_STAGE])
      prof_add(&recursion->cumulative[FMT_GROUP_SIGNATURE_STAGE], less);
  }
  return true;
}

/* Notes a timed call of the edge, and what follows from it, or was found out while it was open, for the next ones. */
static void note(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t ticks, bool outermost)
{
  const bool begins_to_look = edge->flags & FMT_EDGE_LOOKS && !(edge->mode & PROF_MODE_APART);
  if (prof_sampling_note(t, edge, ticks, outermost) || begins_to_look)
    prof_recursion_set_mode(edge);
}

/* Did the call with these flags, which the assembly has ended, begin while none of its edge was open? It counted
 * outside of recursion, or owned the edge. */
static bool was_outermost(const struct fmt_rec_edge *edge, uint64_t flags)
{
  return flags & PROF_FRAME_MARKED || (flags & ~(uint64_t)PROF_FRAME_BITS) == (uintptr_t)&edge->calls;
}

uint64_t prof_frame_timed(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks)
{
  const bool outermost = was_outermost(edge, t->top[1].flags);
  /* Where there are histograms, short calls do not go on to prof_frame_long(). */
  prof_thread_look(t);
  if (prof_waiting_look(t, t->top + 1, start + ticks)) {
    bool told_apart;
    const uint64_t own = without_waits(t, t->top + 1, edge, start, start + ticks, outermost, true, &told_apart);
    if (own < ticks && take_back(t, edge, start, ticks - own))
      ticks = own;
    if (told_apart)
      return prof_waiting_extreme(t, start, ticks, edge->min);
  }
  note(t, edge, ticks, outermost);
  return prof_waiting_extreme(t, start, ticks, edge->min);
}

/* Where a call of `edge` counts that would count at `counters`, once it is known to be one of `as`: what its own
 * callees took goes there, too. Gives `edge`, and nothing is done, where that is not known of this call. */
static PROF_COLD struct fmt_rec_edge *count_as(struct prof_thread *t, const struct fmt_rec_frame *frame,
                                               struct fmt_rec_edge *edge, struct fmt_rec_edge *as, uint64_t **counters)
{
  uint64_t before;
  if (!prof_returning_ends(t, frame, &before) || !as || edge->children < before)
    return edge;
  struct fmt_rec_recursion *recursion = (struct fmt_rec_recursion *)as->recursion;
  if (*counters != &edge->calls && !recursion)
    return edge;
  *counters = *counters == &edge->calls ? &as->calls : &recursion->calls;
  const uint64_t children = edge->children - before;
  prof_add(&edge->children, -children);
  prof_add(&as->children, children);
  return as;
}

/* `running`: the frames around it run on. `as`: see prof_frame_end_as(). */
static inline __attribute__((always_inline)) void end_frame(struct prof_thread *t, struct prof_place place,
                                                            uint64_t now, struct fmt_rec_edge *as, bool running)
{
  struct fmt_rec_frame *frame = place.top;
  struct fmt_rec_edge *edge = prof_frame_edge(frame);
  struct fmt_rec_edge *caller = prof_place_caller((struct prof_place){place.stack, frame - 1});
  uint64_t start = frame->start_ticks;
  bool counted = start == PROF_NOT_TIMED && edge->flags & FMT_EDGE_SAMPLED;
  uint64_t ticks = counted                                    ? prof_edge_sampling(edge)->imputed
                   : start == PROF_NOT_STARTED || now < start ? 0
                                                              : now - start;
  const bool counts = !prof_start_is_counted(start) && PROF_LIKELY(!prof_frame_is_discarded(t, frame->flags));
  bool told_apart = false;
  /* While the frame is open: a handler that leaves by longjmp has it ended by whoever comes next. */
  if (counts && !counted && ticks > 0 && prof_waiting_look(t, frame, now))
    ticks = without_waits(t, frame, edge, start, now, prof_recursion_is_outermost(frame, edge), running, &told_apart);
  /* From here on nobody marks the frame, and what it marked is believed no longer. */
  __atomic_store_n(&frame->edge, 0, __ATOMIC_RELEASE);
  uint64_t flags = frame->flags;
  bool owned_edge = false;
  uint32_t owned = flags & PROF_FRAME_MARKED ? prof_recursion_leave(t, place, edge, &owned_edge) : 0;
  uint64_t *counters = (uint64_t *)(flags & ~(uint64_t)PROF_FRAME_BITS);
  const bool outermost = owned_edge || counters == &edge->calls;
  if (PROF_UNLIKELY(edge->flags & FMT_EDGE_RETURNS))
    edge = count_as(t, frame, edge, counts ? as : NULL, &counters);
  /* Counted before it is off the stack: what is dropped there is told as lost, and what is not there is counted. */
  if (counts)
    prof_add(&counters[0], 1);
  __atomic_store_n(&t->top, frame - 1, __ATOMIC_RELEASE);
  __atomic_store_n(&frame->cfa, 0, __ATOMIC_RELEASE);
  if (!counts)
    return;
  prof_add(&counters[1], ticks);
  prof_add(&caller->children, ticks);
  struct fmt_rec_recursion *recursion = (struct fmt_rec_recursion *)edge->recursion;
  if (recursion && counters == &recursion->calls) {
    for (unsigned group = 0; owned; group++, owned >>= 1) {
      if (owned & 1) {
        prof_add(&recursion->primitive[group], 1);
        prof_add(&recursion->cumulative[group], ticks);
      }
    }
  }
  if (counted || told_apart)
    return;
  if (edge->flags & FMT_EDGE_SAMPLED)
    note(t, edge, ticks, outermost);
  ticks = prof_waiting_extreme(t, start, ticks, edge->min);
  if (ticks >= t->exit_least)
    prof_frame_ended(t, edge, start, ticks);
  else
    prof_thread_look(t);
  prof_note_extremes(&edge->min, &edge->max, ticks);
}

void prof_frame_end(struct prof_thread *t, struct prof_place place, uint64_t now)
{
  end_frame(t, place, now, NULL, true);
}

void prof_frame_end_as(struct prof_thread *t, struct prof_place place, uint64_t now, struct fmt_rec_edge *as)
{
  end_frame(t, place, now, as, true);
}

void prof_frame_cut(struct prof_thread *t, struct prof_place place, uint64_t now)
{
  end_frame(t, place, now, NULL, false);
}
