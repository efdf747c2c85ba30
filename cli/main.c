/* callsig: finds the subcommand and hands the rest of the command line to it. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "config.h"

static const struct cli_command *const commands[] = {
    /* clang-format off: one a line */
    &cli_command_run,
    &cli_command_report,
    &cli_command_stages,
    &cli_command_merge,
    &cli_command_diff,
    &cli_command_browse,
    &cli_command_scaling,
    &cli_command_export,
    &cli_command_index,
    &cli_command_flags,
    /* clang-format on */
    NULL,
};

static int print_help(void)
{
  puts("usage: callsig COMMAND [OPTION...] [ARGUMENT...]\n"
       "\n"
       "Profiles C and C++ programs compiled with -g -finstrument-functions, call by call: which functions, with\n"
       "which arguments, took the time.\n");
  for (const struct cli_command *const *command = commands; *command != NULL; command++)
    printf("  %-8s %s\n", (*command)->name, (*command)->summary);
  puts("\n"
       "'callsig COMMAND --help' says more of each; 'callsig --version' prints the version.");
  return cli_finish_output(CLI_EXIT_OK);
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    cli_error("no command given; 'callsig --help' lists them");
    return CLI_EXIT_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return print_help();
  if (strcmp(name, "--version") == 0) {
    printf("callsig %s\n", CLI_VERSION);
    return cli_finish_output(CLI_EXIT_OK);
  }
  for (const struct cli_command *const *command = commands; *command != NULL; command++)
    if (strcmp(name, (*command)->name) == 0)
      return (*command)->main(*command, argc - 1, argv + 1);
  cli_error("unknown %s '%s'; 'callsig --help' lists the commands", name[0] == '-' ? "option" : "command", name);
  return CLI_EXIT_USAGE;
}
