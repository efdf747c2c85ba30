/* What of a running program speaks against attaching to it, before anything is done to it. */
#ifndef CALLSIG_CLI_ATTACH_REFUSALS_H
#define CALLSIG_CLI_ATTACH_REFUSALS_H

#include <sys/types.h>

#include "cli/common/mappings.h"
#include "cli/run/profiled_program.h"

/* Checks everything that can be told from /proc. Fills *program with the program's file and what its headers say.
 * `mappings` are those of the process. Returns 0, or a negative errno after a message. */
int cli_attach_check(pid_t pid, const struct cli_mappings *mappings, struct cli_profiled_program *program);

/* Checks who the process is and whether it may be looked at, so that its mappings can be read. Returns 0, or a negative
 * errno after a message. */
int cli_attach_check_process(pid_t pid);

#endif
