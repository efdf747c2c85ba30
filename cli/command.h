/*
 * The command `callsig`: what its subcommands share. One file a subcommand; each gets its own argv, whose element 0 is
 * the subcommand's name, and returns the exit status of the process.
 */
#ifndef CALLSIG_CLI_COMMAND_H
#define CALLSIG_CLI_COMMAND_H

#include <getopt.h>
#include <stdbool.h>

/* Exit statuses of the command. */
enum {
  CLI_EXIT_OK = 0,
  CLI_EXIT_FAILURE = 1, /* what was asked for could not be done */
  CLI_EXIT_USAGE = 2,   /* what was asked for is not a thing the command does */
};

/* Values that getopt_long() returns for options without a letter. */
enum {
  CLI_OPTION_HELP = 256,
  CLI_OPTION_VERSION,
  CLI_OPTION_FIRST, /* a subcommand's own begin here */
};

/* The two options that every subcommand has. */
#define CLI_COMMON_OPTIONS                                                                                             \
  {"help", no_argument, NULL, CLI_OPTION_HELP},                                                                        \
  {                                                                                                                    \
    "version", no_argument, NULL, CLI_OPTION_VERSION                                                                   \
  }

struct cli_command {
  const char *name;
  const char *summary; /* one line of `callsig --help` */
  const char *help;    /* what `callsig NAME --help` prints */
  int (*main)(const struct cli_command *command, int argc, char **argv);
};

extern const struct cli_command cli_command_run;
extern const struct cli_command cli_command_report;
extern const struct cli_command cli_command_stages;
extern const struct cli_command cli_command_export;
extern const struct cli_command cli_command_scaling;
extern const struct cli_command cli_command_index;
extern const struct cli_command cli_command_flags;
extern const struct cli_command cli_command_merge;
extern const struct cli_command cli_command_diff;
extern const struct cli_command cli_command_browse;

/* Prints "callsig: " and the message as one line on stderr. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with a pointer at the help of `command`; returns CLI_EXIT_USAGE. */
int cli_usage_error(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A base_message_fn and callsig_stats_message_fn that hands the line to cli_error(). */
void cli_error_line(const char *line, void *data);

/* The next option of getopt_long() with `letters` (which begin as getopt() wants, without ':'), or -1 after the last.
 * When an option is unknown, lacks its value or is --help or --version, it says so, sets *status to the exit status and
 * returns -2. */
int cli_next_option(const struct cli_command *command, int argc, char **argv, const char *letters,
                    const struct option *options, int *status);

/* The value of an environment variable; NULL when it is unset or empty. */
const char *cli_environment(const char *name);

/* Flushes stdout; a write that failed is an error with a message. Returns the exit status: `status`, or
 * CLI_EXIT_FAILURE. */
int cli_finish_output(int status);

#endif
