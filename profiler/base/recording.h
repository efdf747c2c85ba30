/*
 * The recording's file, beyond what internal.h offers to every part of the runtime.
 */
#ifndef CALLSIG_PROFILER_BASE_RECORDING_H
#define CALLSIG_PROFILER_BASE_RECORDING_H

#include <stdint.h>

/* Trees take the recording in blocks of this size: a short thread costs one. */
#define PROF_BLOCK_SIZE ((uint64_t)64 << 10)

/* Bytes of the recording that were handed out. Anywhere while there is a recording. */
uint64_t prof_recording_used(void);

#endif
