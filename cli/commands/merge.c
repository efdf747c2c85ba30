/* callsig merge: several recordings become one. */
#include <stdbool.h>

#include "callsig/stats.h"
#include "cli/commands/commands.h"
#include "cli/common/recordings.h"
#include "cli/run/recording_place.h"

static const char help[] =
    "usage: callsig merge -o OUT [--fold|--fold-ranks] FILE...\n"
    "\n"
    "Writes all that the recordings FILE... hold into one recording, OUT, which every other command reads: its report "
    "is\n"
    "that of all of them together. Processes and threads stay apart, so that they can still be told from each other,\n"
    "and so do their pipelines and timelines.\n"
    "OUT may be one of FILE..., and FILE... may be merged recordings themselves.\n"
    "\n"
    "  -o, --output OUT  the recording to write; an older recording there is replaced\n"
    "  --fold            threads of one process that have the same name become one\n"
    "  --fold-ranks      the ranks of a program become one process, which keeps what its rows were over them\n"
    "  --help, --version\n";

static int merge(const char *output, int (*fold)(struct callsig_stats *stats), char **files, int count)
{
  struct callsig_stats *stats = NULL;
  int error = callsig_stats_new(
      &(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options), .now = 1, .timeline = 1}, &stats);
  if (error == 0)
    error = cli_recordings_add(stats, files, (size_t)count);
  if (error == 0 && fold != NULL)
    error = fold(stats);
  if (error == 0)
    error = callsig_stats_dump(stats, output);
  int status = error < 0 ? CLI_EXIT_FAILURE : cli_recordings_status(stats);
  callsig_stats_free(stats);
  return status;
}

enum { OPTION_FOLD = CLI_OPTION_NEXT, OPTION_FOLD_RANKS };

static const struct option option_table[] = {
    {"output", required_argument, NULL, 'o'},
    {"fold", no_argument, NULL, OPTION_FOLD},
    {"fold-ranks", no_argument, NULL, OPTION_FOLD_RANKS},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

static int merge_main(const struct cli_command *command, int argc, char **argv)
{
  const char *output = NULL;
  int (*fold)(struct callsig_stats * stats) = NULL;
  int option, status = CLI_EXIT_OK;
  while ((option = cli_next_option(command, argc, argv, &status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return status;
    if (option == 'o')
      output = optarg;
    else
      fold = option == OPTION_FOLD ? callsig_stats_fold : callsig_stats_fold_ranks;
  }
  if (output == NULL)
    return cli_usage_error(command, "where to write is not said: -o OUT");
  if (optind == argc)
    return cli_usage_error(command, "nothing to merge: name at least one recording");
  if (cli_recording_is_held(output)) {
    cli_error("merge: %s is a recording that a program still writes: name another file", output);
    return CLI_EXIT_FAILURE;
  }
  return merge(output, fold, argv + optind, argc - optind);
}

const struct cli_command cli_command_merge = {
    .name = "merge",
    .summary = "write several recordings as one",
    .help = help,
    .letters = ":o:",
    .options = option_table,
    .main = merge_main,
};
