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
/* The same when a function is called from there, and ends the frames that are dead then; `now` 0: the clock is read if
 * there are any. */
bool prof_stack_settle(struct prof_thread *t, uintptr_t sp, uint64_t now);

#endif
