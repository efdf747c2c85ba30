/*
 * Calls that find no room in the recording. Where it is full for good, that is every call which nobody made before: so
 * they begin and end with signals open, as those do that are recorded.
 */
#include "profiler/hook/lost_call.h"

#include "profiler/base/process.h"
#include "profiler/frame/frame.h"
#include "profiler/stack/modes.h"

void prof_lost_begin(struct prof_thread *t, struct prof_place place, uintptr_t cfa)
{
  struct fmt_rec_frame *frame = place.top + 1;
  prof_count_loss(FMT_LOSS_NO_SPACE, 1);
  if (place.top >= t->limit)
    return;
  prof_frame_reserve(t, frame, cfa);
  /* From here on the place is this call's, and what a signal handler's hooks left there is gone. */
  frame->flags = PROF_FRAME_LOST;
}

bool prof_lost_end(struct prof_thread *t, struct prof_place place, uintptr_t call_site, uintptr_t sp)
{
  struct fmt_rec_frame *frame = place.top;
  if (!prof_frame_is_lost(frame) || sp <= t->stack_low || sp > t->stack_high ||
      prof_frame_is_link(place.stack, frame) || prof_frame_is_first(place.stack, frame) || prof_frame_is_held(t, frame))
    return false;
  if (frame->cfa < sp || (frame->cfa == sp && ((const uintptr_t *)sp)[-1] != call_site))
    return false;
  frame->flags = (uintptr_t)t->discard;
  __atomic_store_n(&t->top, frame - 1, __ATOMIC_RELEASE);
  __atomic_store_n(&frame->cfa, 0, __ATOMIC_RELEASE);
  return true;
}
