/*
 * Hooks of a thread that does not record at the moment, or not yet: whether they are to count.
 */
#ifndef CALLSIG_PROFILER_HOOK_WAKE_H
#define CALLSIG_PROFILER_HOOK_WAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/compiler.h"
#include "profiler/stack/thread.h"

/* The calling thread's control block, when its hooks are to count; it may have to be made, or to catch up first. Where
 * that has to wait (prof_thread.interrupted), what a handler calls is recorded all the same, and what it had open ends.
 * NULL: the hook is done, and what it lost is counted. */
PROF_COLD struct prof_thread *prof_hook_wake(bool entering);

/* Before an entry in a handler that interrupted a hook, while the thread cannot catch up: the frames below ended with
 * another period, and call nothing in this one. */
PROF_COLD void prof_hook_shield(struct prof_thread *t, uintptr_t sp);
/* Leaves the stack as the handler found it, when no call was opened. */
PROF_COLD void prof_hook_unshield(struct prof_thread *t);

#endif
