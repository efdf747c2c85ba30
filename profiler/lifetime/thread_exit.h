/*
 * The end of a thread.
 */
#ifndef CALLSIG_PROFILER_LIFETIME_THREAD_EXIT_H
#define CALLSIG_PROFILER_LIFETIME_THREAD_EXIT_H

#include "profiler/base/internal.h"

/* Ends the calling thread's recording: open frames are closed, its tree is kept or folded, its control block freed.
 * Later calls of the thread count as FMT_LOSS_LATE. Outside of a slow section. */
void prof_thread_ended(struct prof_thread *t);

#endif
