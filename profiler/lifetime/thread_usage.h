/*
 * What a thread has used of processors over its life.
 */
#ifndef CALLSIG_PROFILER_LIFETIME_THREAD_USAGE_H
#define CALLSIG_PROFILER_LIFETIME_THREAD_USAGE_H

#include "profiler/stack/thread.h"

/* Writes thread_cpu_ns and queued_ns of the stages whose tasks the live thread ran, where the kernel tells. */
void prof_note_thread_usage(const struct prof_thread *t);

#endif
