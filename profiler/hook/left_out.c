/* Entries and exits of calls that are not recorded, as they lie outside of the bounds. */
#include "profiler/hook/left_out.h"

#include "profiler/frame/unwind.h"
#include "profiler/tree/bounds.h"
#include "profiler/tree/edge_places.h"
#include "profiler/tree/fast_compare.h"

enum prof_bound prof_left_out_entry(const struct prof_thread *t, const struct prof_site *site, uintptr_t pc,
                                    uintptr_t cfa)
{
  struct prof_place place;
  if (!prof_bounds_are_set() || !prof_place_now(t, &place) || !prof_unwind_in_order(t, place, site, cfa))
    return PROF_BOUND_INSIDE;
  const struct fmt_rec_edge *caller = prof_place_caller(place);
  if (!caller)
    return PROF_BOUND_INSIDE;
  struct fmt_rec_variant *from = prof_edge_to(caller);
  struct fmt_rec_edge *stand_in = prof_bounds_stand_in(&t->tree, from, site);
  if (!stand_in && !prof_bounds_leave_out(&t->tree, from, site))
    return PROF_BOUND_INSIDE;
  if (!stand_in)
    return prof_bounds_more(&t->tree) ? PROF_BOUND_UNKNOWN : PROF_BOUND_OUTSIDE;
  if (stand_in->site != pc)
    return PROF_BOUND_UNKNOWN;
  struct fmt_rec_edge *last = (struct fmt_rec_edge *)from->last;
  if (last->from)
    last->after = (uintptr_t)stand_in;
  *prof_cache_place(t, from, stand_in->site) = stand_in;
  return PROF_BOUND_OUTSIDE;
}

bool prof_left_out_prepare(struct prof_thread *t, const struct prof_site *site)
{
  if (!prof_bounds_are_set())
    return false;
  struct fmt_rec_variant *from = prof_edge_to(prof_place_caller(prof_place_settled(t)));
  if (!prof_bounds_leave_out(&t->tree, from, site))
    return false;
  prof_bounds_make(&t->tree, from, site);
  prof_edge_places_grow(t);
  return true;
}

bool prof_left_out_exit(const struct prof_thread *t, struct prof_place place, uintptr_t function, uintptr_t call_site,
                        uintptr_t sp)
{
  if (!prof_bounds_are_set() || sp <= t->stack_low || sp > t->stack_high)
    return false;
  const struct fmt_rec_frame *frame = place.top;
  if (prof_frame_is_link(place.stack, frame))
    return place.stack == t->machine->outermost;
  const bool jumped = ((const uintptr_t *)sp)[-1] == call_site;
  if (frame->cfa < sp || (frame->cfa == sp && !jumped) || prof_frame_is_held(t, frame))
    return false;
  /* Of the function that began the actions and tasks that are innermost, this may be the end. */
  const struct fmt_rec_edge *edge;
  for (; !prof_frame_is_link(place.stack, frame) && (edge = prof_frame_edge(frame)) != NULL; frame--)
    if (prof_edge_fast_compare(edge))
      return edge->function_address != function;
  return false;
}

bool prof_left_out_sled(const struct prof_thread *t, struct prof_place place, uintptr_t cfa)
{
  if (!prof_bounds_are_set() || cfa <= t->stack_low || cfa > t->stack_high)
    return false;
  if (prof_frame_is_link(place.stack, place.top))
    return place.stack == t->machine->outermost;
  return place.top->edge && place.top->cfa > cfa && !prof_frame_is_held(t, place.top);
}
