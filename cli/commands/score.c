/* callsig score: what each function's hooks cost, and what to leave out to keep a budget. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "cli/commands/commands.h"
#include "cli/common/recordings.h"
#include "cli/run/glob_file.h"

static const char help[] =
    "usage: callsig score [FILE...] [RESTRICTION...] [OPTION...]\n"
    "\n"
    "Says what the hooks of each function cost in the recordings FILE... (default callsig.out), and what leaving it "
    "out\n"
    "saves and loses: the best bargain first. An argument that names an existing file is a recording; the rest are\n"
    "restrictions as those of 'callsig report', of functions. All costs are estimates; what they rest on is said "
    "above\n"
    "the table.\n"
    "\n"
    "  --overhead FACTOR  choose the smallest set of functions without which the run takes at most FACTOR times as\n"
    "                     long as the program alone, as in 1.5\n"
    "  --matters PERCENT  never choose functions that surely take more than this of the program's own time (default "
    "1)\n"
    "  --keep GLOB        never choose functions whose name or file matches; may be given several times\n"
    "  --filter FORM      with --overhead: print what leaves these functions out, in place of the table. run: for\n"
    "                     'callsig run --exclude-file'; gcc: a file of options, for @FILE; clang: a list\n"
    "                     of XRay's attributes; sled: the least number of instructions, for callsig-cc\n"
    "  --format FORMAT    table (default), json or csv\n"
    "  --help, --version\n";

enum { OPTION_OVERHEAD = CLI_OPTION_NEXT, OPTION_MATTERS, OPTION_KEEP, OPTION_FILTER, OPTION_FORMAT };

static const struct option option_table[] = {
    {"overhead", required_argument, NULL, OPTION_OVERHEAD},
    {"matters", required_argument, NULL, OPTION_MATTERS},
    {"keep", required_argument, NULL, OPTION_KEEP},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"format", required_argument, NULL, OPTION_FORMAT},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

struct score_options {
  struct callsig_stats_score wanted;
  char *keep; /* globs separated by newlines; owned */
};

/* The factor that the text is. An exit status. */
static int read_factor(const struct cli_command *command, const char *text, double *factor)
{
  char *end;
  *factor = strtod(text, &end);
  if (end != text && *end == '\0' && *factor >= 1 && *factor <= 1e9)
    return CLI_EXIT_OK;
  return cli_usage_error(command, "--overhead: '%s' is not a factor from 1 to 1e9, as in 1.5", text);
}

/* The part that the text is in percent. An exit status. */
static int read_percent(const struct cli_command *command, const char *text, double *part)
{
  char *end;
  *part = strtod(text, &end) / 100;
  if (end != text && *end == '\0' && *part > 0 && *part <= 1)
    return CLI_EXIT_OK;
  return cli_usage_error(command, "--matters: '%s' is not a percentage above 0 and up to 100", text);
}

/* Reads the options. Returns 0 with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cli_command *command, int argc, char **argv, struct score_options *score,
                        int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return -1;
    if (option == OPTION_OVERHEAD)
      *status = read_factor(command, optarg, &score->wanted.overhead);
    else if (option == OPTION_MATTERS)
      *status = read_percent(command, optarg, &score->wanted.matters);
    else if (option == OPTION_KEEP)
      *status = cli_glob_add(&score->keep, optarg) < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
    else if (option == OPTION_FILTER)
      score->wanted.filter = optarg;
    else
      score->wanted.format = optarg;
    if (*status != CLI_EXIT_OK)
      return -1;
  }
  score->wanted.keep = score->keep;
  return 0;
}

static int score_main(const struct cli_command *command, int argc, char **argv)
{
  struct score_options score = {.wanted = {.size = sizeof score.wanted}};
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &score, &status) == 0) {
    char **arguments = argv + optind;
    size_t count = (size_t)(argc - optind), recordings = cli_recordings_to_front(arguments, count);
    const char *const *restrictions = (const char *const *)(arguments + recordings);
    struct callsig_stats *stats = NULL;
    status = cli_recordings_load(command, arguments, recordings, count - recordings, &stats);
    if (status == CLI_EXIT_OK)
      status = cli_exit_status(callsig_stats_score(stats, &score.wanted, stdout, restrictions, count - recordings));
    if (status == CLI_EXIT_OK)
      cli_recordings_tell_unfound(command, stats, arguments + recordings, count - recordings);
    if (status == CLI_EXIT_OK)
      status = cli_finish_output(cli_recordings_status(stats));
    callsig_stats_free(stats);
  }
  free(score.keep);
  return status;
}

const struct cli_command cli_command_score = {
    .name = "score",
    .summary = "what each function's hooks cost, and what to leave out for a budget",
    .help = help,
    .letters = ":",
    .options = option_table,
    .main = score_main,
};
