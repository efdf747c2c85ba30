/*
 * Sleds whose calls `callsig run` has taken out from outside, since recording is off (format/sled_idle.h).
 *
 * It puts them back when the program is to record, whoever asks for it: a command, before it asks the program
 * (cli/idle), or the program itself, which waits for that here.
 */
#ifndef CALLSIG_PROFILER_SESSION_IDLE_SLEDS_H
#define CALLSIG_PROFILER_SESSION_IDLE_SLEDS_H

#include <stdbool.h>

/* Does `callsig run` look after the sleds of this process? Anywhere. */
bool prof_sleds_are_kept(void);

/* Are calls out? Anywhere. */
bool prof_sleds_are_out(void);

/* Recording was switched on: waits until the calls are back that are out. True when nobody has put them back in time.
 * Outside of slow sections, without locks. */
bool prof_sleds_await_calls(void);

#endif
