/* What all subcommands share: messages on stderr, the reading of options, the end of output. */
#include "cli/common/subcommand.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "cli/common/print_help.h"
#include "config.h"

static void print_line(const char *format, va_list arguments)
{
  /* One buffered write, so that lines of processes that share stderr do not mix. */
  char text[4096], line[8192];
  if (vsnprintf(text, sizeof text, format, arguments) < 0)
    return;
  base_printable_line(line, sizeof line, text);
  fprintf(stderr, "callsig: %s\n", line);
}

void cli_error(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_line(format, arguments);
  va_end(arguments);
}

void cli_error_line(const char *line, void *data)
{
  (void)data;
  cli_error("%s", line);
}

void cli_ignore_line(const char *line, void *data)
{
  (void)line;
  (void)data;
}

int cli_usage_error(const struct cli_command *command, const char *format, ...)
{
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cli_error("%s: %s; see 'callsig %s --help'", command->name, text, command->name);
  return CLI_EXIT_USAGE;
}

/* Says what is wrong with the option that getopt_long() has just refused. */
static void refuse_option(const struct cli_command *command, char **argv, int result)
{
  const char *argument = argv[optind - 1];
  bool is_long = strncmp(argument, "--", 2) == 0 && argument[2] != '\0';
  if (result == ':' && is_long)
    cli_usage_error(command, "option '%s' needs a value", argument);
  else if (result == ':')
    cli_usage_error(command, "option '-%c' needs a value", optopt);
  else if (is_long && optopt != 0)
    cli_usage_error(command, "option '%.*s' takes no value", (int)strcspn(argument, "="), argument);
  else if (is_long)
    cli_usage_error(command, "unknown option '%s'", argument);
  else
    cli_usage_error(command, "unknown option '-%c'", optopt);
}

int cli_next_option(const struct cli_command *command, int argc, char **argv, int *status)
{
  opterr = 0;
  int option = getopt_long(argc, argv, command->letters, command->options, NULL);
  /* No command has a letter h of its own. */
  if (option == '?' && optopt == 'h')
    option = CLI_OPTION_HELP;
  switch (option) {
  case '?':
  case ':':
    refuse_option(command, argv, option);
    *status = CLI_EXIT_USAGE;
    return CLI_OPTION_ANSWERED;
  case CLI_OPTION_HELP:
    cli_print_help(stdout, command->help);
    *status = cli_finish_output(CLI_EXIT_OK);
    return CLI_OPTION_ANSWERED;
  case CLI_OPTION_VERSION:
    printf("callsig %s\n", CLI_VERSION);
    *status = cli_finish_output(CLI_EXIT_OK);
    return CLI_OPTION_ANSWERED;
  default:
    return option;
  }
}

int cli_read_count(const struct cli_command *command, const char *option, const char *text, unsigned *count)
{
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value == 0 || value > INT_MAX)
    return cli_usage_error(command, "%s: '%s' is not a whole number from 1 to %d", option, text, INT_MAX);
  *count = (unsigned)value;
  return CLI_EXIT_OK;
}

int cli_environment_set(const char *name, const char *value)
{
  return value == NULL || setenv(name, value, 1) == 0 ? 0 : -errno;
}

const char *cli_environment(const char *name)
{
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

int cli_exit_status(int error)
{
  if (error == 0)
    return CLI_EXIT_OK;
  return error == -EINVAL ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
}

int cli_finish_output(int status)
{
  bool failed = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !failed)
    return status;
  cli_error("standard output: %s", errno != 0 ? strerror(errno) : "it could not be written");
  return CLI_EXIT_FAILURE;
}
