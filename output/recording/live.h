/*
 * Whether a recording is still being written.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_LIVE_H
#define CALLSIG_OUTPUT_RECORDING_LIVE_H

#include <stdbool.h>

/* True when process `pid` has the open file mapped, so that it may still be writing the recording. */
bool out_recording_is_live(int file, unsigned pid);

#endif
