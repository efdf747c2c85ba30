/*
 * Hooks of a thread that does not record at the moment, or not yet: whether they are to count.
 */
#ifndef CALLSIG_PROFILER_HOOK_WAKE_H
#define CALLSIG_PROFILER_HOOK_WAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/clock.h"

#include "profiler/base/compiler.h"
#include "profiler/stack/thread.h"

/* The calling thread's control block, when its hooks are to count; it may have to be made, or to catch up first. Where
 * that has to wait (prof_thread.interrupted), what a handler calls is recorded all the same, and what it had open ends.
 * NULL: the hook is done, and what it lost is counted. */
PROF_COLD struct prof_thread *prof_hook_wake(bool entering);

/* Counts a call of the calling thread that cannot be recorded where the thread stands, or whose function is not known.
 */
PROF_COLD void prof_hook_lose(void);

/* Before an entry in a handler that interrupted a hook, while the thread cannot catch up: the frames below ended with
 * another period, and call nothing in this one. */
PROF_COLD void prof_hook_shield(struct prof_thread *t, uintptr_t sp);
/* Leaves the stack as the handler found it, when no call was opened. */
PROF_COLD void prof_hook_unshield(struct prof_thread *t);

/* When a call ended whose exit hook was entered at `ticks`, 0 where nobody looked. Frames that a thread could not close
 * yet ended with their period. */
static inline uint64_t prof_hook_exit_time(const struct prof_thread *t, uint64_t ticks)
{
  uint64_t now = ticks ? ticks : prof_clock_now();
  uint64_t ended = PROF_UNLIKELY(t->interrupted) ? t->tree.record->end_ticks : 0;
  return ended && t->top->start_ticks < ended ? ended : now;
}

#endif
