/*
 * Recordings of later runs beside the one that is looked at: a program that records itself never writes over a
 * recording, and takes PATH.PID where PATH is there.
 */
#ifndef CALLSIG_CLI_RUN_LATER_RUNS_H
#define CALLSIG_CLI_RUN_LATER_RUNS_H

/* Says, in one line, when recordings lie beside `path` of processes that began after the one of `path` had ended, and
 * which of them is the newest. Silent where that cannot be told. `command` is what says so. */
void cli_later_runs_tell(const char *command, const char *path);

#endif
