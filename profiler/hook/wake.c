/*
 * Hooks of a thread that does not record at the moment, or not yet: whether they are to count.
 */
#include "profiler/hook/wake.h"

#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/process.h"
#include "profiler/frame/follow.h"
#include "profiler/session/requests.h"
#include "profiler/session/startup.h"
#include "profiler/stack/interrupted.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/stack.h"

void prof_hook_lose(void)
{
  const struct prof_thread *t = prof_self;
  const uint32_t state = t ? __atomic_load_n(&t->state, __ATOMIC_RELAXED) : PROF_HOOKS_SLOW;
  if (state == PROF_HOOKS_BUSY)
    prof_count_loss(FMT_LOSS_NESTED, 1);
  else if (t == &prof_gone)
    prof_count_loss(FMT_LOSS_LATE, 1);
  else if (state != PROF_HOOKS_OFF && __atomic_load_n(&prof_idle.state, __ATOMIC_RELAXED) != PROF_HOOKS_OFF)
    prof_count_loss(FMT_LOSS_NO_SPACE, 1);
}

/* Was it found already that the thread has to wait, in the handler that runs now? A handler's calls may be many, and
 * one after another of them would find the same, slowly. */
static bool waits_still(const struct prof_thread *t, uint32_t state)
{
  return t && state == PROF_HOOKS_SLOW && t->interrupted &&
         t->refused == __atomic_load_n(&prof_process.generation, __ATOMIC_SEQ_CST) && !prof_request_waits() &&
         prof_hook_still_interrupted(&t->handler);
}

/* What a thread that has to wait does with a hook. */
static struct prof_thread *while_waiting(struct prof_thread *t, bool entering)
{
  return entering && __atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST) ? NULL : t;
}

struct prof_thread *prof_hook_wake(bool entering)
{
  struct prof_thread *t = prof_self;
  uint32_t state = t ? __atomic_load_n(&t->state, __ATOMIC_RELAXED) : PROF_HOOKS_SLOW;
  if (waits_still(t, state))
    return while_waiting(t, entering);
  if (state == PROF_HOOKS_OFF && !prof_requests_take())
    return NULL;
  const bool never = state == PROF_HOOKS_BUSY || (state == PROF_HOOKS_GONE && !prof_thread_begins_anew());
  do {
    do {
      bool off = false;
      t = never ? NULL : prof_thread_enter_or_off(&off);
      if (!t) {
        if (entering && !off)
          prof_hook_lose();
        return NULL;
      }
      prof_slow_leave(t);
    } while (prof_requests_take());
    if (t->interrupted)
      return while_waiting(t, entering);
    state = __atomic_load_n(&t->state, __ATOMIC_RELAXED);
    /* A handler, or another thread, that has switched recording since: it may be on again. */
  } while (state == PROF_HOOKS_SLOW);
  return state == PROF_HOOKS_OFF ? NULL : t;
}

void prof_hook_shield(struct prof_thread *t, uintptr_t sp)
{
  if (prof_stack_is_shielded(t) || !prof_slow_enter(t))
    return;
  if (!prof_stack_follow(t, sp, prof_clock_now()) || !prof_stack_shield(t))
    prof_stack_rest(t);
  prof_slow_leave(t);
}

void prof_hook_unshield(struct prof_thread *t)
{
  if (!prof_slow_enter(t))
    return;
  prof_stack_rest(t);
  prof_slow_leave(t);
}
