/*
 * The machine stack that runs is the one that the stack pointer lies on.
 */
#ifndef CALLSIG_PROFILER_FRAME_FOLLOW_H
#define CALLSIG_PROFILER_FRAME_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/stack/thread.h"

/* Makes the machine stack of `sp` the one that runs, at `now`. In a slow section. False: no space. */
bool prof_stack_follow(struct prof_thread *t, uintptr_t sp, uint64_t now);

/* Ends the frames that are dead when a function is called from the stack pointer `sp`, whose machine stack is the one
 * that runs from now on; `now` 0: the clock is read if there are any. In a slow section. False: no space. */
bool prof_unwind_for_call(struct prof_thread *t, uintptr_t sp, uint64_t now);

#endif
