/* Which recording a process writes, by what the kernel tells of it. */
#ifndef CALLSIG_CLI_COMMON_PROCESS_RECORDING_H
#define CALLSIG_CLI_COMMON_PROCESS_RECORDING_H

#include <limits.h>
#include <stdbool.h>

#include "format/recording.h"

/* The recording that the process has mapped and that is its own: a forked child has its parent's mapped, too. Of
 * `callsig run` it is that of the program which it runs. `name` is the process's number. Returns 0; -ESRCH when there
 * is no such process; -EACCES when it may not be looked into; -ENOENT when it has none. Gives no message. */
int cli_process_recording(const char *name, char path[PATH_MAX]);

/* The number that the process has for itself: in the innermost of the namespaces that it is in. `pid` where the kernel
 * does not tell. */
unsigned cli_process_number_inside(unsigned long pid);

/* Reads the header of the recording that lies there, not through a link. False when there is none to be read. */
bool cli_recording_header(const char *path, struct fmt_rec_header *header);

/* When it was begun, in ticks, whether it was made to count from zero since or not. */
static inline uint64_t cli_recording_began(const struct fmt_rec_header *header)
{
  return header->begun.ticks != 0 ? header->begun.ticks : header->start.ticks;
}

/* Is recording switched off there? False where that cannot be read. */
bool cli_recording_is_off(const char *path);

/* The recording that an argument of `command` means: a file, or else the number of a process that records; NULL:
 * callsig.out. An exit status, after a message where it is not CLI_EXIT_OK. */
int cli_recording_find(const char *command, const char *what, char path[PATH_MAX]);

#endif
