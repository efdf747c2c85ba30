/* The files that a run leaves: its recording, and those of the processes that it started. */
#ifndef CALLSIG_CLI_RUN_RECORDING_FILES_H
#define CALLSIG_CLI_RUN_RECORDING_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/run/recording_place.h"

/* Stores in the run's recording, made by process `pid`, how that process ended (as wait() gives it), and when, unless
 * the process has said so itself. It changes only what is a recording of that process. Returns 0, an error of
 * cli_recording_place_header(), -ESRCH when the recording is another process's, or another negative errno; gives no
 * message. */
int cli_recording_stamp(const struct cli_recording_place *place, pid_t pid, int status);

/* Was recording switched on or off from outside while the run's program ran? Then samples of the whole run are not of
 * what was recorded. */
bool cli_recording_was_switched(const struct cli_recording_place *place);

/* Did the recording find no room to grow? Then the runtime has told of it, and what else finds none has the same cause.
 */
bool cli_recording_is_full(const struct cli_recording_place *place);

/* Seals the run's recording, when nothing writes to it any more: callsig_stats_seal(), but that a full one for whose
 * seal there is no room gets none without a word. The place stays held. */
void cli_recording_seal(const struct cli_recording_place *place);

/* Visits the recordings PATH.PID and PATH.PID.N of this run, each by its name in its folder: the program started their
 * processes, which may have ended. How many there are; a negative errno when the folder cannot be read. */
typedef void cli_recording_visit_fn(int folder, const char *name, void *data);
int cli_recording_each_child(const struct cli_recording_place *place, cli_recording_visit_fn *visit, void *data);

/* Seals those of them whose processes have ended. Returns what cli_recording_each_child() does. */
int cli_recording_seal_children(const struct cli_recording_place *place);

#endif
