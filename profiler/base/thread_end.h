/*
 * Noticing that threads end.
 */
#ifndef CALLSIG_PROFILER_BASE_THREAD_END_H
#define CALLSIG_PROFILER_BASE_THREAD_END_H

/* Has `ended` called by each thread that is watched, as late in its end as can be. Once, when the library is
 * initialised. */
void prof_thread_end_prepare(void (*ended)(void));
/* Watches the calling thread. Anywhere, also again; without prof_thread_end_prepare() it does nothing. */
void prof_thread_watch(void);

#endif
