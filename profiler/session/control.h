/*
 * Switching recording on and off.
 */
#ifndef CALLSIG_PROFILER_SESSION_CONTROL_H
#define CALLSIG_PROFILER_SESSION_CONTROL_H

#include <stdbool.h>

/* Changes process.disabled and process.warming. What is open in any thread ends; a thread notices at its next hook.
 * Outside of slow sections. */
void prof_set_recording(bool disabled, bool warming);
/* The same for requests from outside, without warming: where recording ends, sleds go on to call their hooks, which
 * have to see the next request. */
void prof_switch_recording(bool on);

#endif
