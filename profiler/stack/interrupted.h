/*
 * Whether a signal interrupted a hook of the thread that is not done yet.
 */
#ifndef CALLSIG_PROFILER_STACK_INTERRUPTED_H
#define CALLSIG_PROFILER_STACK_INTERRUPTED_H

#include <stdbool.h>

#include "profiler/stack/thread.h"

/* Does the calling thread, which is `t`, run in a signal handler that interrupted one of its hooks? That hook holds
 * frames in registers, so that nobody may close them. *handler says where those lie that may be closed. A walk over the
 * stack: for what is done seldom. In a slow section. */
bool prof_hook_is_interrupted(const struct prof_thread *t, struct prof_handler *handler);

/* Is `handler` what that gave in the handler that runs now, and was it this one that interrupted the hook? False where
 * it is another, or is not known. A walk to where this handler began, and as a rule no system call. Anywhere. */
bool prof_hook_still_interrupted(const struct prof_handler *handler);

#endif
