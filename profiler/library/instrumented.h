/*
 * Which modules count the calls of their functions themselves.
 */
#ifndef CALLSIG_PROFILER_LIBRARY_INSTRUMENTED_H
#define CALLSIG_PROFILER_LIBRARY_INSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>

#define PROF_INSTRUMENTED_KNOWN 32u

/* Modules that were looked at; zeroed at first. */
struct prof_instrumented {
  uint32_t count;
  struct {
    uintptr_t start, end;
    bool is_instrumented;
  } modules[PROF_INSTRUMENTED_KNOWN];
};

/* Does the address lie in a module with probe sites or sleds, of which the recording has a row anyway? Under
 * modules_lock, in a slow section. */
bool prof_instrumented_holds(struct prof_instrumented *known, uintptr_t address);

#endif
