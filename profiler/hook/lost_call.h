/*
 * Calls that find no room in the recording: counted, with a frame that keeps their place.
 */
#ifndef CALLSIG_PROFILER_HOOK_LOST_CALL_H
#define CALLSIG_PROFILER_HOOK_LOST_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/stack/stack.h"

/* Counts a call that cannot be recorded, and has a frame at `cfa` above `place` keep its place, where there is room for
 * one, so that its exit is not taken for its caller's. Anywhere. */
void prof_lost_begin(struct prof_thread *t, struct prof_place place, uintptr_t cfa);

/* Is what ends with the stack pointer `sp`, before the hook's call, such a call? Then nothing is left to do.
 * `call_site` is what the hook was given, 0 in a sled's. Anywhere. */
bool prof_lost_end(struct prof_thread *t, struct prof_place place, uintptr_t call_site, uintptr_t sp);

/* Did no frame find room above `place` when what ends now, whose canonical frame address is `cfa`, began? Anywhere. */
static inline bool prof_lost_without_frame(const struct prof_thread *t, struct prof_place place, uintptr_t cfa)
{
  return t->full && place.top >= t->limit && cfa < place.top->cfa && cfa > t->stack_low;
}

#endif
