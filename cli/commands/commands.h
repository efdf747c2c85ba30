/*
 * All subcommands of `callsig`.
 */
#ifndef CALLSIG_CLI_COMMANDS_COMMANDS_H
#define CALLSIG_CLI_COMMANDS_COMMANDS_H

#include "cli/common/subcommand.h"

extern const struct cli_command cli_command_run;
extern const struct cli_command cli_command_attach;
extern const struct cli_command cli_command_ctl;
extern const struct cli_command cli_command_report;
extern const struct cli_command cli_command_stages;
extern const struct cli_command cli_command_export;
extern const struct cli_command cli_command_scaling;
extern const struct cli_command cli_command_score;
extern const struct cli_command cli_command_index;
extern const struct cli_command cli_command_flags;
extern const struct cli_command cli_command_merge;
extern const struct cli_command cli_command_diff;
extern const struct cli_command cli_command_browse;
extern const struct cli_command cli_command_top;
extern const struct cli_command cli_command_serve;

/* In the order of `callsig --help`; the last is NULL. */
extern const struct cli_command *const cli_commands[];

#endif
