/*
 * Machine stacks: those that makecontext() was given, the alternate signal stack, and what /proc/self/maps shows.
 */
#ifndef CALLSIG_PROFILER_BASE_COROUTINE_H
#define CALLSIG_PROFILER_BASE_COROUTINE_H

#include <stdbool.h>
#include <stdint.h>

/* Notes that the calling thread gave makecontext() the stack [low, high). Outside of slow sections. */
void prof_stack_note(uintptr_t low, uintptr_t high);
/* The stack that this thread gave makecontext() and that `sp` lies on, if any. Anywhere. */
bool prof_stack_named(uintptr_t sp, uintptr_t *low, uintptr_t *high);
/* How many contexts makecontext() has made so far on just this stack; 0 for another. Anywhere. */
uint32_t prof_stack_contexts(uintptr_t low, uintptr_t high);
/* The machine stack that `sp` lies on: a range that makecontext() or sigaltstack() named, else the mapping of
 * /proc/self/maps. False when it cannot be told. */
bool prof_stack_range(uintptr_t sp, uintptr_t *low, uintptr_t *high);

/* The range of the alternate signal stack that the thread has, whether a handler runs there or not. Anywhere. */
bool prof_signal_stack(uintptr_t *low, uintptr_t *high);
/* Does `sp` lie on the alternate signal stack, while a handler runs there? Gives its range. Anywhere. */
bool prof_signal_stack_at(uintptr_t sp, uintptr_t *low, uintptr_t *high);

#endif
