/* The recording of a run, when its program has ended. */
#ifndef CALLSIG_CLI_RUN_RECORDING_FILES_H
#define CALLSIG_CLI_RUN_RECORDING_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/run/recording_place.h"

/* Stores in the run's recording, made by process `pid`, how that process ended (as wait() gives it), and when, unless
 * the process has said so itself; where it executed another program that was recorded, that began then. It changes only
 * what is a recording of that process. Returns 0, an error of cli_recording_place_header(), -ESRCH when the recording
 * is another process's, or another negative errno; gives no message. */
int cli_recording_stamp(const struct cli_recording_place *place, pid_t pid, int status);

/* Did the recording find no room to grow? Then the runtime has told of it, and what else finds none has the same cause.
 */
bool cli_recording_is_full(const struct cli_recording_place *place);

/* Until when all that the program did was recorded, by CLOCK_REALTIME in nanoseconds: when it was switched off, from
 * outside or by the program; UINT64_MAX when it was not, or there is no recording yet. 0 when it was switched on
 * meanwhile, or by a schedule: what was open then computes on in no call, and a sample does not tell that from the
 * calls that follow. */
uint64_t cli_recording_whole_until(const struct cli_recording_place *place);

/* Was it off when it began, which is its first request, and nobody asked for anything since? */
bool cli_recording_was_never_on(const struct cli_recording_place *place);

/* Seals the run's recording, when nothing writes to it any more: callsig_stats_seal(), but that a full one for whose
 * seal there is no room gets none without a word. The place stays held. */
void cli_recording_seal(const struct cli_recording_place *place);

#endif
