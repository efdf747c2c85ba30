/*
 * What is known of the signals that the calling thread blocks and unblocks by the C library's functions.
 */
#ifndef CALLSIG_PROFILER_BASE_SIGNAL_MASK_H
#define CALLSIG_PROFILER_BASE_SIGNAL_MASK_H

#include <stdint.h>

/* Signals that the thread has unblocked without having blocked them before: they were so from its beginning, or since a
 * handler was entered, which goes on without. */
extern __thread uint64_t prof_unblocked_in_handlers __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
