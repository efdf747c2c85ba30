/*
 * What the assembly of the hooks calls when the fast path will not do.
 */
#ifndef CALLSIG_PROFILER_HOOK_GENERIC_PATH_H
#define CALLSIG_PROFILER_HOOK_GENERIC_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/frame/unwind.h"
#include "profiler/stack/stack.h"
#include "profiler/tree/capture.h"

/* `function` and `call_site` are the hook's arguments. */
void prof_hook_enter(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers);

/* The same for a call whose edge the hook's assembly found, arguments and all, but could not open a frame of: unless
 * the edge's mode is PROF_MODE_NEVER, when nobody has compared the arguments yet. */
void prof_hook_enter_known(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers,
                           struct fmt_rec_edge *edge);

struct prof_returned;

/* `sp` is rsp before the hook's call; `ticks` the time stamp counter when the hook began, 0 where it is not the clock.
 */
void prof_hook_exit(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks);

/* The same where it is known what the call returned; NULL: it is not. */
void prof_hook_exit_returned(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks,
                             const struct prof_returned *returned);

/* The same for the end of the innermost frame, which is open, is not the first of a segment, and is this call's. */
void prof_hook_exit_top(struct prof_thread *t, struct prof_place place, uint64_t ticks,
                        const struct prof_returned *returned);

/* The same where control left the calls above without their exits, as far as prof_unwind_openly() does it: false, and
 * the rest is left, where it does not. `now` is `ticks`. */
bool prof_hook_exit_left(struct prof_thread *t, struct prof_leaving leaving, const struct prof_returned *returned);

#endif
