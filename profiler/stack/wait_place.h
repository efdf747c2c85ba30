/*
 * Where a wait for a processor lies.
 *
 * Since when a thread waited is not known, but between two readings of the clock: it ran when it made each. So the wait
 * lies in one of the stretches from the last look over the entries of the calls that have begun since (those that ended
 * were looked at) to now, and it has to fit there.
 */
#ifndef CALLSIG_PROFILER_STACK_WAIT_PLACE_H
#define CALLSIG_PROFILER_STACK_WAIT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/stack/waiting.h"

/* A thread that takes so many times the least to ask was away while it asked. */
#define PROF_SURELY_AWAY 16u

/* A stretch of time in which the wait may lie. */
struct prof_stretch {
  uint64_t begin, length;
};

/* Where a wait before the call's end lies, as far as it was found: `in_call` of it in the call itself. */
struct prof_wait_place {
  uint64_t in_call, before;
  struct prof_stretch stretch; /* that has what lies before the call */
};

/* Did a call that took `ticks` wait so much of them, by what such calls take? Anywhere. */
bool prof_wait_fits(const struct prof_ending *call, uint64_t ticks, uint64_t waited);

/* Where the thread waited before the call ended. Anywhere. */
struct prof_wait_place prof_wait_find_place(const struct prof_thread *t, const struct prof_look *look,
                                            const struct prof_ending *call);

/* Might more than a small part of the wait lie in one stretch and as well in another? Looks at the entries of such
 * calls would tell. Anywhere. */
bool prof_wait_is_ambiguous(const struct prof_thread *t, const struct prof_look *look, const struct prof_ending *call,
                            uint64_t waited);

#endif
