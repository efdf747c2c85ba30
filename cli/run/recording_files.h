/* The files that a run leaves: its recording, and those of the processes that it started. */
#ifndef CALLSIG_CLI_RUN_RECORDING_FILES_H
#define CALLSIG_CLI_RUN_RECORDING_FILES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Makes `path` absolute into `absolute`, and refuses it where no recording can be made: in a folder that cannot be
 * written, or where something lies that is no recording (nor empty). Changes nothing. Returns 0, or a negative errno
 * after a message. */
int cli_recording_place(const char *path, char absolute[PATH_MAX]);

/* Removes an older recording from there. Returns 0, or a negative errno after a message that calls it `path`. */
int cli_recording_make_way(const char *path, const char *absolute);

/* Stores in the recording at `path`, made by process `pid`, how that process ended (as wait() gives it), and when,
 * unless the process has said so itself. It changes only what is a recording of that process. Returns 0, -ENOENT when
 * there is none, or a negative errno; gives no message. */
int cli_recording_stamp(const char *path, pid_t pid, int status);

/* How many recordings PATH.PID and PATH.PID.N begin at `since_ns` of CLOCK_REALTIME or later: those of the processes
 * that the program started. A negative errno when the folder cannot be read. */
int cli_recording_count_children(const char *path, uint64_t since_ns);

#endif
