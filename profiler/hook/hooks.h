/*
 * What the assembly of the hooks calls when the fast path will not do.
 */
#ifndef CALLSIG_PROFILER_HOOK_HOOKS_H
#define CALLSIG_PROFILER_HOOK_HOOKS_H

#include "profiler/base/internal.h"

/* `function` and `call_site` are the hook's arguments. */
void prof_hook_enter(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers);

/* `sp` is rsp before the hook's call; `ticks` the time stamp counter when the hook began, 0 where it is not the clock.
 */
void prof_hook_exit(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks);

/* Adds a call of `edge` that has ended, after `ticks`, to the edge's histogram and to the timeline, as far as they are
 * kept. For calls of t->exit_least ticks and more. Anywhere. */
void prof_hook_exit_more(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t start, uint64_t ticks);

#endif
