/*
 * What a subcommand of `callsig` is, and what all of them share: messages, the reading of options, the end of output. A
 * subcommand gets its own argv, whose element 0 is its name, and returns the exit status of the process.
 */
#ifndef CALLSIG_CLI_COMMON_SUBCOMMAND_H
#define CALLSIG_CLI_COMMON_SUBCOMMAND_H

#include <getopt.h>
#include <stdbool.h>

/* Exit statuses of the command. */
enum {
  CLI_EXIT_OK = 0,
  CLI_EXIT_FAILURE = 1, /* what was asked for could not be done */
  CLI_EXIT_USAGE = 2,   /* what was asked for is not a thing the command does */
};

/* What cli_next_option() returns where there is no option to take, and for options without a letter. */
enum {
  CLI_OPTION_END = -1,      /* there are no more */
  CLI_OPTION_ANSWERED = -2, /* all that is to be said has been said: the command ends */
  CLI_OPTION_HELP = 256,
  CLI_OPTION_VERSION,
  CLI_OPTION_NEXT, /* a subcommand's own begin here */
};

/* The two options that every subcommand has. */
#define CLI_COMMON_OPTION_TABLE                                                                                        \
  {"help", no_argument, NULL, CLI_OPTION_HELP},                                                                        \
  {                                                                                                                    \
    "version", no_argument, NULL, CLI_OPTION_VERSION                                                                   \
  }

struct cli_command {
  const char *name;
  const char *summary; /* one line of `callsig --help` */
  const char *help;    /* what `callsig NAME --help` prints */
  /* Its options as getopt_long() takes them. `letters` has ':' before the first, so that cli_next_option() gives the
   * messages; both have all options that there are (tests/cli/test_options.py holds help and manual against them). */
  const char *letters;
  const struct option *options;
  int (*main)(const struct cli_command *command, int argc, char **argv);
};

/* Prints "callsig: " and the message as one line on stderr. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with a pointer at the help of `command`; returns CLI_EXIT_USAGE. */
int cli_usage_error(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A base_message_fn and callsig_stats_message_fn that hands the line to cli_error(). */
void cli_error_line(const char *line, void *data);

/* A callsig_stats_message_fn that drops the line, where the command says something else. */
void cli_ignore_line(const char *line, void *data);

/* The next option of the command's tables as getopt_long() gives it, or CLI_OPTION_END after the last. When an option
 * is unknown or lacks its value, or is --help, -h or --version, it prints what there is to say, sets *status to the
 * exit status and returns CLI_OPTION_ANSWERED. */
int cli_next_option(const struct cli_command *command, int argc, char **argv, int *status);

/* Reads the value of `option`, a whole number from 1 to INT_MAX. Returns CLI_EXIT_OK, or CLI_EXIT_USAGE after a
 * message. */
int cli_read_count(const struct cli_command *command, const char *option, const char *text, unsigned *count);

/* The value of an environment variable; NULL when it is unset or empty. */
const char *cli_environment(const char *name);
/* Sets a variable for the programs that are started; NULL: what the caller's environment says stays. 0 or a negative
 * errno. */
int cli_environment_set(const char *name, const char *value);

/* The exit status of what the library returned: 0, or a negative errno after a message, -EINVAL where the user said
 * something wrongly. */
int cli_exit_status(int error);

/* Flushes stdout; a write that failed is an error with a message. Returns the exit status: `status`, or
 * CLI_EXIT_FAILURE. */
int cli_finish_output(int status);

#endif
