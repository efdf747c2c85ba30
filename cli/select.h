/*
 * What the subcommands that read recordings share: which recordings, how rows are grouped, which calls are counted.
 */
#ifndef CALLSIG_CLI_SELECT_H
#define CALLSIG_CLI_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "callsig/stats.h"
#include "command.h"

#define CS_DEFAULT_RECORDING "callsig.out"

/* How rows are made, and of what. Initialise with CS_SELECT_DEFAULT. Strings are those of the command line. */
struct cs_select {
  unsigned by; /* enum callsig_stats_by; 0: the default */
  struct callsig_stats_filter filter;
  bool strip_dirs, compensate;
};

#define CS_SELECT_DEFAULT                                                                                              \
  {                                                                                                                    \
    .filter = {.size = sizeof(struct callsig_stats_filter) }                                                           \
  }

/* What getopt_long() returns for these options; a subcommand's own begin behind them. */
enum {
  CS_SELECT_BY = CS_OPTION_FIRST,
  CS_SELECT_FUNCTION,
  CS_SELECT_SIGNATURE,
  CS_SELECT_STAGE,
  CS_SELECT_THREAD,
  CS_SELECT_MODULE,
  CS_SELECT_STRIP_DIRS,
  CS_SELECT_COMPENSATE,
  CS_SELECT_OPTION_FIRST, /* a subcommand's own begin here */
};

/* Entries of a subcommand's table for getopt_long(). */
#define CS_SELECT_OPTIONS                                                                                              \
  {"by", required_argument, NULL, CS_SELECT_BY}, {"function", required_argument, NULL, CS_SELECT_FUNCTION},            \
      {"signature", required_argument, NULL, CS_SELECT_SIGNATURE},                                                     \
      {"stage", required_argument, NULL, CS_SELECT_STAGE}, {"thread", required_argument, NULL, CS_SELECT_THREAD},      \
      {"module", required_argument, NULL, CS_SELECT_MODULE}, {"strip-dirs", no_argument, NULL, CS_SELECT_STRIP_DIRS},  \
  {                                                                                                                    \
    "compensate", no_argument, NULL, CS_SELECT_COMPENSATE                                                              \
  }

/* Their lines of a subcommand's help. */
#define CS_SELECT_HELP                                                                                                 \
  "  --by GROUP[,GROUP]  rows are by: function, signature (default), stage, thread, module,\n"                         \
  "                      process, rank\n"                                                                              \
  "  --function REGEX    only functions whose printed name matches\n"                                                  \
  "  --signature EXPR    only calls whose arguments fulfil EXPR: 'n >= 4096 && mode == FAST'\n"                        \
  "  --stage GLOB        only calls below a stage or action of such a name\n"                                          \
  "  --thread GLOB       only calls of threads of such a name\n"                                                       \
  "  --module GLOB       only functions of such modules\n"                                                             \
  "  --strip-dirs        print file names without their folders; rows that become equal meet\n"                        \
  "  --compensate        subtract what the hooks themselves cost\n"

/* Takes one of the options above. CS_EXIT_OK, or CS_EXIT_USAGE after a message. */
int cs_select_option(const struct cs_command *command, int option, const char *value, struct cs_select *select);

/* Moves the recordings among the `count` arguments to the front, in order. Returns how many they are: an argument that
 * names an existing file is a recording. */
size_t cs_select_recordings(char **arguments, size_t count);

/* Loads `count` recordings into one object, or the default one when there are none; `other` is then the first argument
 * that is not a recording, for the message, or NULL. Returns an exit status; *stats is the caller's to free. */
int cs_select_load(const struct cs_command *command, char **recordings, size_t count, const char *other,
                   struct callsig_stats **stats);

/* The same with the recordings' timelines. */
int cs_select_load_timeline(const struct cs_command *command, char **recordings, size_t count,
                            struct callsig_stats **stats);

/* Groups and filters as asked. Returns an exit status: what is said wrongly is a usage error. */
int cs_select_apply(struct callsig_stats *stats, const struct cs_select *select);

#endif
