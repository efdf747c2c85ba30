/* callsig: finds the subcommand and hands the rest of the command line to it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/common/code_lines.h"
#include "cli/common/ignored_signals.h"
#include "cli/common/print_help.h"
#include "cli/common/stack_size.h"
#include "cli/common/standard_files.h"
#include "config.h"

static int print_help(void)
{
  cli_print_help(
      stdout,
      "usage: callsig COMMAND [OPTION...] [ARGUMENT...]\n"
      "\n"
      "Profiles C and C++ programs compiled with callsig-cc (or -g -finstrument-functions), call by call: which\n"
      "functions, with which arguments, took the time.\n\n");
  for (const struct cli_command *const *command = cli_commands; *command != NULL; command++)
    printf("  %-8s %s\n", (*command)->name, (*command)->summary);
  cli_print_help(
      stdout,
      "\n"
      "'callsig COMMAND --help' (or -h, or 'callsig help COMMAND') says more of each; 'callsig --version' prints the\n"
      "version, 'callsig --help' (or -h, or 'callsig help') this.\n");
  return cli_finish_output(CLI_EXIT_OK);
}

/* The command of this name; NULL after a message. */
static const struct cli_command *find_command(const char *name)
{
  for (const struct cli_command *const *command = cli_commands; *command != NULL; command++)
    if (strcmp(name, (*command)->name) == 0)
      return *command;
  cli_error("unknown %s '%s'; 'callsig --help' lists the commands", name[0] == '-' ? "option" : "command", name);
  return NULL;
}

/* `callsig help`, with the names of `count` commands behind it. */
static int print_help_of(int count, char **names)
{
  if (count == 0)
    return print_help();
  if (count > 1) {
    cli_error("help: one command at a time, not %d; 'callsig --help' lists them", count);
    return CLI_EXIT_USAGE;
  }
  const struct cli_command *command = find_command(names[0]);
  if (command == NULL)
    return CLI_EXIT_USAGE;
  cli_print_help(stdout, command->help);
  return cli_finish_output(CLI_EXIT_OK);
}

int main(int argc, char **argv)
{
  cli_standard_files_hold();
  if (argc < 2) {
    cli_error("no command given; 'callsig --help' lists them");
    return CLI_EXIT_USAGE;
  }
  cli_signal_ignore(SIGXFSZ);
  if (cli_stack_size_prepare() < 0)
    return CLI_EXIT_FAILURE;
  callsig_stats_set_lines(cli_code_lines, NULL);
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return print_help();
  if (strcmp(name, "--version") == 0) {
    printf("callsig %s\n", CLI_VERSION);
    return cli_finish_output(CLI_EXIT_OK);
  }
  if (strcmp(name, "help") == 0)
    return print_help_of(argc - 2, argv + 2);
  const struct cli_command *command = find_command(name);
  return command != NULL ? command->main(command, argc - 1, argv + 1) : CLI_EXIT_USAGE;
}
