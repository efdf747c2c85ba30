/* The list of all subcommands: a new one is added here. */
#include "cli/commands/commands.h"

#include <stddef.h>

const struct cli_command *const cli_commands[] = {
    /* clang-format off: one a line */
    &cli_command_run,
    &cli_command_attach,
    &cli_command_ctl,
    &cli_command_report,
    &cli_command_stages,
    &cli_command_merge,
    &cli_command_diff,
    &cli_command_browse,
    &cli_command_top,
    &cli_command_serve,
    &cli_command_scaling,
    &cli_command_score,
    &cli_command_export,
    &cli_command_index,
    &cli_command_flags,
    /* clang-format on */
    NULL,
};
