/*
 * Calls of imported functions: the generic path of all hooks, entered as by a sled at the function's first instruction.
 */
#include "profiler/hook/library_hooks.h"

#include "profiler/base/process.h"
#include "profiler/base/request.h"
#include "profiler/frame/frame.h"
#include "profiler/hook/returned_value.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/fast_compare.h"

/* While recording is off, somebody outside may ask for it. */
static bool is_off(void)
{
  const struct prof_thread *t = prof_self;
  return t && t->state == PROF_HOOKS_OFF && !prof_request_waits();
}

void prof_library_entered(const struct prof_registers *registers)
{
  if (!is_off())
    prof_sled_entered(registers);
}

void prof_library_passed(const struct prof_registers *registers)
{
  if (is_off())
    return;
  prof_sled_entered(registers);
  struct prof_thread *t = prof_self;
  const uintptr_t sp = registers->general[PROF_SP];
  struct prof_place place;
  /* Ended at no time, it has taken none. */
  if (prof_thread_running(t) && prof_place_now(t, &place) && prof_frame_edge(place.top) &&
      place.top->cfa == sp + sizeof sp && prof_edge_is_at(prof_frame_edge(place.top), registers->pc) &&
      !prof_frame_is_first(place.stack, place.top))
    prof_frame_end(t, place, 0);
  else
    prof_sled_ended(registers->pc, sp, 0, NULL);
}

void prof_library_left(const struct prof_library_call *call, uintptr_t sp, uint64_t general)
{
  prof_library_ended(call, sp, general, 0);
}

void prof_library_ended(const struct prof_library_call *call, uintptr_t sp, uint64_t general, uint64_t ticks)
{
  if (is_off())
    return;
  if (!prof_returned_is_told(sp + sizeof sp)) {
    prof_sled_ended(call->slot, sp, ticks, NULL);
    return;
  }
  const struct prof_returned returned = prof_returned_now(general);
  prof_sled_ended(call->slot, sp, ticks, &returned);
}
