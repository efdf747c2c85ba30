/*
 * What the subcommands that read recordings share: which recordings, how rows are grouped, which calls are counted.
 */
#ifndef CALLSIG_CLI_SELECT_H
#define CALLSIG_CLI_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "callsig/stats.h"
#include "cli/command.h"

#define CLI_DEFAULT_RECORDING "callsig.out"

/* How rows are made, and of what. Initialise with CLI_SELECT_DEFAULT. Strings are those of the command line. */
struct cli_select {
  unsigned by; /* enum callsig_stats_by; 0: the default */
  struct callsig_stats_filter filter;
  bool strip_dirs, compensate;
};

#define CLI_SELECT_DEFAULT                                                                                             \
  {                                                                                                                    \
    .filter = {.size = sizeof(struct callsig_stats_filter) }                                                           \
  }

/* What getopt_long() returns for these options; a subcommand's own begin behind them. */
enum {
  CLI_SELECT_BY = CLI_OPTION_FIRST,
  CLI_SELECT_FUNCTION,
  CLI_SELECT_SIGNATURE,
  CLI_SELECT_STAGE,
  CLI_SELECT_THREAD,
  CLI_SELECT_MODULE,
  CLI_SELECT_STRIP_DIRS,
  CLI_SELECT_COMPENSATE,
  CLI_SELECT_OPTION_FIRST, /* a subcommand's own begin here */
};

/* Entries of a subcommand's table for getopt_long(). */
#define CLI_SELECT_OPTIONS                                                                                             \
  {"by", required_argument, NULL, CLI_SELECT_BY}, {"function", required_argument, NULL, CLI_SELECT_FUNCTION},          \
      {"signature", required_argument, NULL, CLI_SELECT_SIGNATURE},                                                    \
      {"stage", required_argument, NULL, CLI_SELECT_STAGE}, {"thread", required_argument, NULL, CLI_SELECT_THREAD},    \
      {"module", required_argument, NULL, CLI_SELECT_MODULE},                                                          \
      {"strip-dirs", no_argument, NULL, CLI_SELECT_STRIP_DIRS},                                                        \
  {                                                                                                                    \
    "compensate", no_argument, NULL, CLI_SELECT_COMPENSATE                                                             \
  }

/* Their lines of a subcommand's help. */
#define CLI_SELECT_HELP                                                                                                \
  "  --by GROUP[,GROUP]  rows are by: function, signature (default), stage, thread, module,\n"                         \
  "                      process, rank\n"                                                                              \
  "  --function REGEX    only functions whose printed name matches\n"                                                  \
  "  --signature EXPR    only calls whose arguments fulfil EXPR: 'n >= 4096 && mode == FAST'\n"                        \
  "  --stage GLOB        only calls below a stage or action of such a name\n"                                          \
  "  --thread GLOB       only calls of threads of such a name\n"                                                       \
  "  --module GLOB       only functions of such modules\n"                                                             \
  "  --strip-dirs        print file names without their folders; rows that become equal meet\n"                        \
  "  --compensate        subtract what the hooks themselves cost\n"

/* Takes one of the options above. CLI_EXIT_OK, or CLI_EXIT_USAGE after a message. */
int cli_select_option(const struct cli_command *command, int option, const char *value, struct cli_select *select);

/* Moves the recordings among the `count` arguments to the front, in order. Returns how many they are: an argument that
 * names an existing file is a recording. */
size_t cli_select_recordings(char **arguments, size_t count);

/* Loads `count` recordings into one object, or the default one when there are none; `other` is then the first argument
 * that is not a recording, for the message, or NULL. Returns an exit status; *stats is the caller's to free. */
int cli_select_load(const struct cli_command *command, char **recordings, size_t count, const char *other,
                    struct callsig_stats **stats);

/* The same with the recordings' timelines. */
int cli_select_load_timeline(const struct cli_command *command, char **recordings, size_t count,
                             struct callsig_stats **stats);

/* Groups and filters as asked. Returns an exit status: what is said wrongly is a usage error. */
int cli_select_apply(struct callsig_stats *stats, const struct cli_select *select);

#endif
