/*
 * What the kernel tells of a process whose recording may still be written.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_LIVE_H
#define CALLSIG_OUTPUT_RECORDING_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when process `pid` has the open file mapped, so that it may still be writing the recording. */
bool out_recording_is_live(int file, unsigned pid);

/* The command line of process `pid` as it is now, each argument followed by a NUL, without NULs that follow those.
 * Allocated with malloc(); NULL where there is none, or no memory. */
char *out_recording_command_line(unsigned pid, size_t *size);

/* What a thread did since it began, in ns. */
struct out_thread_life {
  uint64_t awake;  /* on a processor, or waiting for one */
  uint64_t asleep; /* the rest, and some ms more, as the kernel tells roughly when the thread began */
};

/* Of thread `tid` of process `pid`; false where the kernel does not tell. */
bool out_recording_thread_life(unsigned pid, unsigned tid, struct out_thread_life *life);

#endif
