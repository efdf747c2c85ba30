/*
 * The options that all subcommands which read recordings have: how rows are grouped, which calls are counted.
 */
#ifndef CALLSIG_CLI_COMMON_ROW_OPTIONS_H
#define CALLSIG_CLI_COMMON_ROW_OPTIONS_H

#include <stdbool.h>

#include "callsig/stats.h"
#include "cli/common/subcommand.h"

/* How rows are made, and of what. Initialise with CLI_ROW_OPTIONS_DEFAULT. Strings are those of the command line. */
struct cli_row_options {
  unsigned by; /* enum callsig_stats_by; 0: the default */
  struct callsig_stats_filter filter;
  bool strip_dirs;
  enum cli_hook_cost { CLI_HOOK_COST_DEFAULT, CLI_HOOK_COST_SUBTRACTED, CLI_HOOK_COST_LEFT } hook_cost;
};

#define CLI_ROW_OPTIONS_DEFAULT                                                                                        \
  {                                                                                                                    \
    .filter = {.size = sizeof(struct callsig_stats_filter) }                                                           \
  }

/* How tables look unless asked otherwise: a few notes, and names that a person reads. */
#define CLI_TABLE_STYLE                                                                                                \
  ((const struct callsig_stats_style){.size = sizeof(struct callsig_stats_style), .name_width = 300, .few_notes = 1})

/* What getopt_long() returns for these options; a subcommand's own begin behind them. */
enum {
  CLI_ROW_OPTION_BY = CLI_OPTION_NEXT,
  CLI_ROW_OPTION_FUNCTION,
  CLI_ROW_OPTION_SIGNATURE,
  CLI_ROW_OPTION_STAGE,
  CLI_ROW_OPTION_THREAD,
  CLI_ROW_OPTION_MODULE,
  CLI_ROW_OPTION_BELOW,
  CLI_ROW_OPTION_DEPTH,
  CLI_ROW_OPTION_STRIP_DIRS,
  CLI_ROW_OPTION_COMPENSATE,
  CLI_ROW_OPTION_RAW,
  CLI_ROW_OPTION_NEXT, /* a subcommand's own begin here */
};

/* Entries of a subcommand's table for getopt_long(). */
#define CLI_ROW_OPTION_TABLE                                                                                           \
  {"by", required_argument, NULL, CLI_ROW_OPTION_BY}, {"function", required_argument, NULL, CLI_ROW_OPTION_FUNCTION},  \
      {"signature", required_argument, NULL, CLI_ROW_OPTION_SIGNATURE},                                                \
      {"stage", required_argument, NULL, CLI_ROW_OPTION_STAGE},                                                        \
      {"thread", required_argument, NULL, CLI_ROW_OPTION_THREAD},                                                      \
      {"module", required_argument, NULL, CLI_ROW_OPTION_MODULE},                                                      \
      {"below", required_argument, NULL, CLI_ROW_OPTION_BELOW},                                                        \
      {"depth", required_argument, NULL, CLI_ROW_OPTION_DEPTH},                                                        \
      {"strip-dirs", no_argument, NULL, CLI_ROW_OPTION_STRIP_DIRS},                                                    \
      {"compensate", no_argument, NULL, CLI_ROW_OPTION_COMPENSATE},                                                    \
  {                                                                                                                    \
    "raw", no_argument, NULL, CLI_ROW_OPTION_RAW                                                                       \
  }

/* Their lines of a subcommand's help. */
#define CLI_ROW_BY_HELP                                                                                                \
  "  --by GROUP[,GROUP]  rows are by: function, signature (default), stage, thread, module,\n"                         \
  "                      process, rank, site (of the call, after callsig run --sites)\n"
#define CLI_ROW_FILTER_HELP                                                                                            \
  "  --function REGEX    only functions whose printed name matches\n"                                                  \
  "  --signature EXPR    only calls whose arguments fulfil EXPR: 'n >= 4096 && mode == FAST'\n"                        \
  "  --stage GLOB        only calls below a stage or action of such a name\n"                                          \
  "  --thread GLOB       only calls of threads of such a name\n"                                                       \
  "  --module GLOB       only functions of such modules\n"                                                             \
  "  --below REGEX       only calls of functions whose printed name matches, and all below them\n"                     \
  "  --depth N           only calls that lie at most so deep, recursion folded; counted from main, or\n"               \
  "                      from the outermost function that --below asks for, which is 1\n"                              \
  "  --strip-dirs        print file names without their folders; rows that become equal meet\n"
#define CLI_ROW_HOOKS_HELP                                                                                             \
  "  --compensate        subtract what the hooks themselves cost (default where calls are\n"                           \
  "                      sampled), and show it\n"                                                                      \
  "  --raw               times as the clock read them, hooks and all\n"
#define CLI_ROW_OPTION_HELP CLI_ROW_BY_HELP CLI_ROW_FILTER_HELP CLI_ROW_HOOKS_HELP

/* Takes one of the options above. CLI_EXIT_OK, or CLI_EXIT_USAGE after a message. */
int cli_row_options_take(const struct cli_command *command, int option, const char *value,
                         struct cli_row_options *rows);

/* Groups and filters as asked. Returns an exit status: what is said wrongly is a usage error. */
int cli_row_options_apply(struct callsig_stats *stats, const struct cli_row_options *rows);

/* Checks what cli_row_options_apply() will be given later, when there are recordings. An exit status, after a message
 * unless it is CLI_EXIT_OK. */
int cli_row_options_check(const struct cli_row_options *rows);

/* Checks the keys of a table that is printed later, when there is something to print. Returns CLI_EXIT_OK, or another
 * exit status after a message. */
int cli_sort_check(const char *keys);

#endif
