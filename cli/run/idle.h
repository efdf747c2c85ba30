/*
 * Programs that are run and do not record cost nothing while nobody asks for them: once a process of `callsig run
 * --off` has not recorded for a second, the calls of hooks are taken out of its text (cli/idle); they are put back when
 * it is asked for something, or switches recording on itself.
 */
#ifndef CALLSIG_CLI_RUN_IDLE_H
#define CALLSIG_CLI_RUN_IDLE_H

#include "cli/run/recording_place.h"

struct cli_idle;

/* Begins to look after the processes of the run at `place`, which is the caller's for as long. NULL: no memory, or no
 * thread: then they call hooks all the time. */
struct cli_idle *cli_idle_begin(const struct cli_recording_place *place);

/* Puts all calls back, and looks after nobody any more. NULL is allowed. */
void cli_idle_end(struct cli_idle *idle);

#endif
