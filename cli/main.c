/* callsig: finds the subcommand and hands the rest of the command line to it. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "config.h"

static const struct cs_command *const commands[] = {
    /* clang-format off: one a line */
    &cs_command_run,
    &cs_command_report,
    &cs_command_stages,
    &cs_command_merge,
    &cs_command_diff,
    &cs_command_browse,
    &cs_command_scaling,
    &cs_command_export,
    &cs_command_index,
    &cs_command_flags,
    /* clang-format on */
    NULL,
};

static int print_help(void)
{
  puts("usage: callsig COMMAND [OPTION...] [ARGUMENT...]\n"
       "\n"
       "Profiles C and C++ programs compiled with -g -finstrument-functions, call by call: which functions, with\n"
       "which arguments, took the time.\n");
  for (const struct cs_command *const *command = commands; *command != NULL; command++)
    printf("  %-8s %s\n", (*command)->name, (*command)->summary);
  puts("\n"
       "'callsig COMMAND --help' says more of each; 'callsig --version' prints the version.");
  return cs_finish_output(CS_EXIT_OK);
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    cs_error("no command given; 'callsig --help' lists them");
    return CS_EXIT_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return print_help();
  if (strcmp(name, "--version") == 0) {
    printf("callsig %s\n", CS_VERSION);
    return cs_finish_output(CS_EXIT_OK);
  }
  for (const struct cs_command *const *command = commands; *command != NULL; command++)
    if (strcmp(name, (*command)->name) == 0)
      return (*command)->main(*command, argc - 1, argv + 1);
  cs_error("unknown %s '%s'; 'callsig --help' lists the commands", name[0] == '-' ? "option" : "command", name);
  return CS_EXIT_USAGE;
}
