/*
 * What `callsig top` reads of a run: the recording of its program, and those of the processes that the program started,
 * which come, end and are folded while it is looked at.
 */
#ifndef CALLSIG_CLI_TOP_RUN_FILES_H
#define CALLSIG_CLI_TOP_RUN_FILES_H

#include <stdbool.h>

#include "callsig/stats.h"

/* Loads the recording at `path` with those of its run's other processes, as they are now. `*others` gets how many of
 * these run. 0, or a negative errno after a message. */
int cli_top_load_run(const char *path, struct callsig_stats **stats, unsigned *others);

/* Does the process run? One that is dead, and that its parent did not wait for, does not. */
bool cli_top_is_running(unsigned pid);

/* Does the process go on whose recording lies at `path`? Its number may be another's by now. */
bool cli_top_goes_on(const char *path, unsigned pid);

#endif
