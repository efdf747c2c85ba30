/*
 * What `callsig run --help` prints.
 */
#ifndef CALLSIG_CLI_COMMANDS_RUN_HELP_H
#define CALLSIG_CLI_COMMANDS_RUN_HELP_H

extern const char cli_run_help[];

#endif
