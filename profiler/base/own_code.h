/*
 * Machine code that the runtime has written: where it lies.
 */
#ifndef CALLSIG_PROFILER_BASE_OWN_CODE_H
#define CALLSIG_PROFILER_BASE_OWN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Notes code that lies there from now on, before it is run. Never forgotten. With signals blocked. False: no memory,
 * and the code may not be run. */
bool prof_own_code_add(uintptr_t start, size_t size);

/* Does the address lie in such code? Anywhere. */
bool prof_own_code_holds(uintptr_t address);

#endif
