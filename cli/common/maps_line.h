/* The lines of /proc/PID/maps. */
#ifndef CALLSIG_CLI_COMMON_MAPS_LINE_H
#define CALLSIG_CLI_COMMON_MAPS_LINE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Writes the path of the file that a line of the process's tells of, with " (deleted)" behind it where the file's name
 * is gone. In the line a new line of the path is "\012", as that text itself is; `path` has it as it is. False: the
 * line is of no file, or its path too long. */
bool cli_maps_line_path(pid_t pid, const char *line, char path[PATH_MAX]);

#endif
