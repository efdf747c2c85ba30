/* Finds a program as execvp() would, without running it. */
#ifndef CALLSIG_CLI_COMMON_FIND_PROGRAM_H
#define CALLSIG_CLI_COMMON_FIND_PROGRAM_H

#include <limits.h>

/* Writes the path of program `name` into `path`: `name` itself when it holds a slash, else the first executable regular
 * file of that name in $PATH. Returns 0, -ENOENT, -EACCES (found, but not executable), -EISDIR or -ENAMETOOLONG. */
int cli_find_program(const char *name, char path[PATH_MAX]);

#endif
