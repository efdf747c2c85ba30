/*
 * The exit hooks beyond the fast path, which is assembly (arch/.../hooks/).
 */
#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/process.h"
#include "profiler/frame/follow.h"
#include "profiler/frame/frame.h"
#include "profiler/frame/unwind.h"
#include "profiler/hook/generic_path.h"
#include "profiler/hook/left_out.h"
#include "profiler/hook/lost_call.h"
#include "profiler/hook/returned_value.h"
#include "profiler/hook/wake.h"
#include "profiler/module/module.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/bounds.h"
#include "profiler/tree/fast_compare.h"

/* Is the innermost frame the one that this exit ends? The fast path's checks again. */
static bool ends_top(const struct prof_thread *t, struct prof_place place, uintptr_t function, uintptr_t call_site,
                     uintptr_t sp)
{
  const struct fmt_rec_frame *top = place.top;
  const struct fmt_rec_edge *edge = prof_frame_edge(top);
  if (!edge || edge->function_address != function || sp <= t->stack_low || sp > t->stack_high ||
      prof_frame_is_first(place.stack, top))
    return false;
  if (PROF_UNLIKELY(prof_frame_is_held(t, top)))
    return false;
  return top->cfa > sp || (top->cfa == sp && ((const uintptr_t *)sp)[-1] == call_site);
}

/* Is this an exit of which there is no entry, since a filter leaves its function out? */
static bool is_excluded(const struct prof_thread *t, uintptr_t function)
{
  const struct prof_fast_compare *compare = prof_fast_compare_find(&t->tree, function, 0, 0);
  return compare && compare->site->excluded;
}

/* An exit without an entry. What schedules and requests from outside switch on and off ends calls that go on, and
 * bounds leave entries out. */
static void count_unmatched(void)
{
  if (!prof_bounds_are_set() && !prof_process.scheduled && !__atomic_load_n(&prof_process.requested, __ATOMIC_RELAXED))
    prof_count_loss(FMT_LOSS_EXIT_UNMATCHED, 1);
}

/* Ends the innermost frame, which is this call's. */
static void end_top(struct prof_thread *t, struct prof_place place, uint64_t now, const struct prof_returned *returned)
{
  if (PROF_UNLIKELY(returned && prof_frame_edge(place.top)->flags & FMT_EDGE_RETURNS))
    prof_returned_end(t, place, now, returned);
  else
    prof_frame_end(t, place, now);
}

/* Ends the innermost frame in a slow section, whose rest is measured as the hook's: a frame that is the first of its
 * segment ends so each time. */
static void end_top_slowly(struct prof_thread *t, uint64_t now, const struct prof_returned *returned)
{
  struct fmt_rec_edge *edge = prof_frame_edge(t->top);
  prof_returned_end_slowly(t, prof_place_settled(t), now, returned);
  prof_stack_rest(t);
  if (prof_process.settings.clock == FMT_CLOCK_TSC && !prof_process.settings.sample_times)
    prof_add(&edge->overhead, prof_clock_now() - now);
}

static PROF_COLD void exit_slow(struct prof_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp,
                                uint64_t now, const struct prof_returned *returned)
{
  if (!prof_slow_enter(t))
    return;
  enum prof_exit ended = PROF_EXIT_UNMATCHED;
  if (prof_stack_follow(t, sp, now))
    ended = prof_unwind_for_exit(t, function, call_site, sp, now);
  if (ended == PROF_EXIT_TOP)
    end_top_slowly(t, now, returned);
  else if (ended == PROF_EXIT_UNMATCHED && !t->interrupted)
    count_unmatched();
  prof_stack_rest(t);
  prof_slow_leave(t);
}

void prof_hook_exit_top(struct prof_thread *t, struct prof_place place, uint64_t ticks,
                        const struct prof_returned *returned)
{
  struct fmt_rec_edge *edge = prof_frame_edge(place.top);
  if (prof_frame_is_counted(place.top) ||
      (place.top->start_ticks == PROF_NOT_TIMED && edge->flags & FMT_EDGE_SAMPLED)) {
    prof_frame_end(t, place, 0);
    return;
  }
  end_top(t, place, prof_hook_exit_time(t, ticks), returned);
  if (ticks && !prof_process.settings.sample_times)
    prof_add(&edge->overhead, prof_clock_now() - ticks);
}

/* A hook that the function jumped to, as its last act, returns to the function's own caller: its frame may begin at the
 * stack pointer. */
static struct prof_leaving leaving_of(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks)
{
  const bool jumped = ((const uintptr_t *)sp)[-1] == call_site;
  return (struct prof_leaving){.function = function, .last = jumped ? sp - 1 : sp, .now = ticks};
}

bool prof_hook_exit_left(struct prof_thread *t, struct prof_leaving leaving, const struct prof_returned *returned)
{
  struct prof_place place;
  if (!leaving.now || !prof_unwind_openly(t, &leaving, &place))
    return false;
  prof_hook_exit_top(t, place, leaving.now, returned);
  return true;
}

void prof_hook_exit(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks)
{
  prof_hook_exit_returned(function, call_site, sp, ticks, NULL);
}

void prof_hook_exit_returned(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks,
                             const struct prof_returned *returned)
{
  struct prof_thread *t = prof_self;
  if (PROF_UNLIKELY(!prof_thread_running(t))) {
    /* A thread without a control block has no frame that could end, unless a fork wiped it. */
    if (!t || t == &prof_idle) {
      count_unmatched();
      return;
    }
    t = prof_hook_wake(false);
    if (!t)
      return;
  }
  struct prof_place place;
  const bool settled = prof_place_now(t, &place);
  if (PROF_LIKELY(settled && ends_top(t, place, function, call_site, sp)))
    prof_hook_exit_top(t, place, ticks, returned);
  else if (!(settled && prof_left_out_exit(t, place, function, call_site, sp)) && !is_excluded(t, function) &&
           !(settled && prof_lost_end(t, place, call_site, sp)) &&
           !prof_hook_exit_left(t, leaving_of(function, call_site, sp, ticks), returned))
    exit_slow(t, function, call_site, sp, prof_hook_exit_time(t, ticks), returned);
}
