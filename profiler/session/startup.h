/*
 * How recording starts, in the process and in each thread.
 */
#ifndef CALLSIG_PROFILER_SESSION_STARTUP_H
#define CALLSIG_PROFILER_SESSION_STARTUP_H

#include "profiler/stack/thread.h"

/* The calling thread's control block, made when there is none yet (and the recording with the process's first; a forked
 * child starts a recording of its own here). NULL when there can be none: the process failed, is starting, or the
 * thread ended. Outside or inside of a slow section. On success the caller is *inside* a slow section. */
struct prof_thread *prof_thread_enter(void);

/* The same. *off is set where a thread that has no control block gets none since recording is switched off: what it
 * calls is lost to nobody then, even if recording is on again by the time that it is asked about. */
struct prof_thread *prof_thread_enter_or_off(bool *off);

/* Starts recording if it has not started. 0, or -EIO when there can be no recording. Outside of slow sections. */
int prof_start_now(void);

/* Before anything of the recording, or under its locks, is touched other than in a hook: in a forked child whose state
 * is still its parent's, where that records or has tried to, begins the child's own. False: the state is the parent's
 * still, and is to be left alone. Outside of slow sections. */
bool prof_start_own(void);

#endif
