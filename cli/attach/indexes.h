/* The indexes of a program that runs. */
#ifndef CALLSIG_CLI_ATTACH_INDEXES_H
#define CALLSIG_CLI_ATTACH_INDEXES_H

#include "cli/common/mappings.h"
#include "cli/run/profiled_program.h"

/* Makes those of all modules that the program has mapped. Returns 0, or a negative errno after a message. */
int cli_attach_indexes(const struct cli_mappings *mappings, const struct cli_profiled_program *program);

#endif
