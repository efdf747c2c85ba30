/*
 * The times in which nothing is recorded, so that readers can leave them out: format/pauses.h. Not under a clock of the
 * program's own, which is read for calls alone, nor under that of the threads' CPU time, which tells nothing of when.
 */
#ifndef CALLSIG_PROFILER_SESSION_PAUSES_H
#define CALLSIG_PROFILER_SESSION_PAUSES_H

#include <stdbool.h>
#include <stdint.h>

/* Recording stops now (`paused`), or goes on. What is so already stays so. The recording is there; with signals
 * blocked. */
void prof_pauses_note(bool paused);

/* Nothing is recorded from `since` on, in ticks: the recording begins so. The same. */
void prof_pauses_begin(uint64_t since);

/* What was before `now` is forgotten: a period begins then. The same. */
void prof_pauses_clear(uint64_t now);

#endif
