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

/* The calling thread is about to go on at `sp`, by swapcontext() or setcontext(): its frames are those of that machine
 * stack from now on, if it has any there. A handler may do so in the midst of a hook, which goes on when control comes
 * back by one of the same two: it then finds its frames as it left them, as after any handler. Outside of slow
 * sections. */
void prof_stack_arrive(uintptr_t sp);

/* Ends the frames that are dead when a function is called from the stack pointer `sp`, whose machine stack is the one
 * that runs from now on; `now` 0: the clock is read if there are any. In a slow section. False: no space. */
bool prof_unwind_for_call(struct prof_thread *t, uintptr_t sp, uint64_t now);

#endif
