/*
 * Entries and exits of calls outside of the part of the tree that is recorded (tree/bounds.h).
 */
#ifndef CALLSIG_PROFILER_HOOK_LEFT_OUT_H
#define CALLSIG_PROFILER_HOOK_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/module/site.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"

enum prof_bound {
  PROF_BOUND_INSIDE,  /* the call is to be recorded, or the frames below have to be put right first */
  PROF_BOUND_OUTSIDE, /* no frame is made of it */
  PROF_BOUND_UNKNOWN, /* nor of this one; once prepared, hooks find that at once */
};

/* Where a call at this site, whose frame would begin at `cfa`, lies. Anywhere. */
enum prof_bound prof_left_out_entry(const struct prof_thread *t, const struct prof_site *site, uintptr_t pc,
                                    uintptr_t cfa);
/* Does it lie outside, and if so, has hooks find that. In a slow section, with the frames below put right. */
bool prof_left_out_prepare(struct prof_thread *t, const struct prof_site *site);
/* Is this for sure the exit of such a call: is the innermost frame alive, and another function's? A function that is
 * open is never left out. Anywhere. */
bool prof_left_out_exit(const struct prof_thread *t, struct prof_place place, uintptr_t function, uintptr_t call_site,
                        uintptr_t sp);
/* The same of a sled's exit, of a call that began at `cfa`. Anywhere. */
bool prof_left_out_sled(const struct prof_thread *t, struct prof_place place, uintptr_t cfa);

#endif
