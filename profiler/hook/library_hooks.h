/*
 * Calls of imported functions: entered in assembly, by the stubs that stand in a module's slots.
 */
#ifndef CALLSIG_PROFILER_HOOK_LIBRARY_HOOKS_H
#define CALLSIG_PROFILER_HOOK_LIBRARY_HOOKS_H

#include <stdint.h>

#include "profiler/tree/capture.h"

/* What a stub has in r11. It outlasts a fork, and does not change while the stub stands in the slot. */
struct prof_library_call {
  uintptr_t target; /* the function */
  uintptr_t slot;   /* the site (FMT_SITE_LIBRARY) */
};

/* Jumped to by stubs, and by nothing else: they keep every register but r11. */
void prof_library_counted(void);
void prof_library_timed(void);

/* A call begins, with the registers as they were at it: its frame is opened. */
void prof_library_entered(const struct prof_registers *registers);
/* A call whose end nobody will hear of begins: it is counted, without any time. */
void prof_library_passed(const struct prof_registers *registers);
/* A call ends, which began with the stack pointer `sp`. */
void prof_library_left(const struct prof_library_call *call, uintptr_t sp);

#endif
