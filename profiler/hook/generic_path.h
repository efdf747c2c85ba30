/*
 * What the assembly of the hooks calls when the fast path will not do.
 */
#ifndef CALLSIG_PROFILER_HOOK_GENERIC_PATH_H
#define CALLSIG_PROFILER_HOOK_GENERIC_PATH_H

#include <stdint.h>

#include "profiler/tree/capture.h"

/* `function` and `call_site` are the hook's arguments. */
void prof_hook_enter(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers);

/* `sp` is rsp before the hook's call; `ticks` the time stamp counter when the hook began, 0 where it is not the clock.
 */
void prof_hook_exit(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks);

#endif
