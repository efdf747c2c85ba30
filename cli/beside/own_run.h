/* Samples of the profiled run itself, by which reports find what its hooks took (docs/times.md). */
#ifndef CALLSIG_CLI_BESIDE_OWN_RUN_H
#define CALLSIG_CLI_BESIDE_OWN_RUN_H

#include <sys/types.h>

#include "cli/run/recording_place.h"

struct cli_own_run;

/* Makes ready, before the program is started by the same thread; it records at `place`. NULL where the kernel does not
 * let its timer be used, or memory is short: what hooks took is estimated then. Free with cli_own_run_free(). */
struct cli_own_run *cli_own_run_open(const struct cli_recording_place *place);
void cli_own_run_free(struct cli_own_run *own);

/* To be called with the program's process when it has started, and when it has ended and was not reaped yet. */
void cli_own_run_look(struct cli_own_run *own, pid_t pid);

/* To be called when the program has been reaped, before another child of this process is: what its children have used
 * is the program's until then. NULL is nothing. */
void cli_own_run_end(struct cli_own_run *own);

/* The program, which was executed from `program`, has been reaped: adds the samples to its recording, those from before
 * it was switched off. Nothing is added when it was switched on meanwhile (cli_recording_whole_until()), nor when the
 * program executed another one, whose time would be told from its own by nothing. A message when they cannot be added,
 * unless the runtime has told that there is no room. */
void cli_own_run_write(struct cli_own_run *own, const char *program, pid_t pid, int status);

/* Behind that, or where there is no recording of the program: says how many processes executed instrumented programs
 * without the runtime, where it is known. NULL is nothing. */
void cli_own_run_tell(struct cli_own_run *own);

#endif
