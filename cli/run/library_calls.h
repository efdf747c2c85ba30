/* Library calls as rows: where they cannot be had, and what the program's environment says of them. */
#ifndef CALLSIG_CLI_RUN_LIBRARY_CALLS_H
#define CALLSIG_CLI_RUN_LIBRARY_CALLS_H

#include <stdbool.h>

#include "cli/common/subcommand.h"
#include "cli/run/profiled_program.h"

/* The globs, one a line, of the functions whose calls are counted. */
#define CLI_LIBRARY_CALLS "CALLSIG_LIBRARY_CALLS"
/* Until a function is called for the first time its slot leads to the dynamic linker, which would fill it after the
 * runtime has: with this variable set, all of them are filled before any code runs. */
#define CLI_LIBRARY_CALLS_BIND "LD_BIND_NOW"

/* Checks the options: `globs` is NULL where nobody asked. CLI_EXIT_OK, or CLI_EXIT_USAGE after a message. */
int cli_library_calls_check(const struct cli_command *command, const char *globs, bool beside);

/* Refuses a program that has the runtime linked into it. 0, or -EINVAL after a message. */
int cli_library_calls_refuse(const struct cli_profiled_program *program);

#endif
