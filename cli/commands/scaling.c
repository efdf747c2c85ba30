/* callsig scaling: each function's time per call as a law of its arguments. */
#include <stdio.h>
#include <string.h>

#include "callsig/stats.h"
#include "cli/commands/commands.h"
#include "cli/common/recordings.h"
#include "cli/common/row_options.h"

static const char help[] =
    "usage: callsig scaling [FILE...] [RESTRICTION...] [OPTION...]\n"
    "\n"
    "Says for each function how its time per call grows with its arguments: constant, log n, n, n log n, n^2, n^3, "
    "and\n"
    "products and sums of those of several arguments. The laws are fitted to the signatures of the recordings FILE...\n"
    "(default callsig.out); several runs with other sizes make a law surer. An argument that names an existing file is "
    "a\n"
    "recording; the rest are restrictions as those of 'callsig report', of functions.\n"
    "\n"
    "  --time TIME         cumulative (default): with what the function calls, until it returns; own: without\n"
    "  --measure MEASURE   of a signature's calls; trimmed (default): their mean without the longest, of three and "
    "more;\n"
    "                      mean: of all (the default of own and compensated times); min: the shortest\n"
    "  --all               functions of which nothing can be said, too, and why\n"
    "  -s KEY[,KEY...]     sort as 'callsig report' does; default cumulative\n"
    "  --format FORMAT     table (default), json, csv, or extrap: text for Extra-P\n"
    "  --directory FOLDER  of --format extrap: a file for each law\n" /* and what all readers have */
    "  --by GROUP[,GROUP]  laws are by: function, of its signatures (default), stage, thread, module,\n"
    "                      process, rank; signature is function, and by site there are none\n" CLI_ROW_FILTER_HELP
    "  --compensate        subtract what the hooks themselves cost, as it was calibrated\n"
    "  --raw               times as the clock read them, hooks and all: the default here\n"
    "  --help, --version\n";

struct scaling_options {
  struct callsig_stats_scaling wanted;
  const char *sort;
  struct cli_row_options rows;
};

enum {
  OPTION_TIME = CLI_ROW_OPTION_NEXT,
  OPTION_MEASURE,
  OPTION_ALL,
  OPTION_FORMAT,
  OPTION_DIRECTORY,
};

static const struct option option_table[] = {
    {"time", required_argument, NULL, OPTION_TIME},
    {"measure", required_argument, NULL, OPTION_MEASURE},
    {"all", no_argument, NULL, OPTION_ALL},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"directory", required_argument, NULL, OPTION_DIRECTORY},
    CLI_ROW_OPTION_TABLE,
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* Reads the options. Returns 0 with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cli_command *command, int argc, char **argv, struct scaling_options *scaling,
                        int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    switch (option) {
    case CLI_OPTION_ANSWERED:
      return -1;
    case 's':
      scaling->sort = optarg;
      break;
    case OPTION_TIME:
      scaling->wanted.time = optarg;
      break;
    case OPTION_MEASURE:
      scaling->wanted.measure = optarg;
      break;
    case OPTION_ALL:
      scaling->wanted.all = 1;
      break;
    case OPTION_FORMAT:
      scaling->wanted.format = optarg;
      break;
    case OPTION_DIRECTORY:
      scaling->wanted.directory = optarg;
      break;
    default:
      *status = cli_row_options_take(command, option, optarg, &scaling->rows);
      if (*status != CLI_EXIT_OK)
        return -1;
    }
  }
  return 0;
}

static int scaling_main(const struct cli_command *command, int argc, char **argv)
{
  struct scaling_options scaling = {.wanted = {.size = sizeof scaling.wanted}, .rows = CLI_ROW_OPTIONS_DEFAULT};
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &scaling, &status) < 0)
    return status;
  if (scaling.rows.by & CALLSIG_BY_SITE)
    return cli_usage_error(command, "--by: a law is of a function wherever it is called: leave out site");
  char **arguments = argv + optind;
  size_t count = (size_t)(argc - optind), recordings = cli_recordings_to_front(arguments, count);
  const char *const *restrictions = (const char *const *)(arguments + recordings);
  struct callsig_stats *stats = NULL;
  status = cli_recordings_load(command, arguments, recordings, count - recordings, &stats);
  if (status == CLI_EXIT_OK)
    status = cli_row_options_apply(stats, &scaling.rows);
  if (status == CLI_EXIT_OK && scaling.sort != NULL)
    status = cli_exit_status(callsig_stats_sort(stats, scaling.sort));
  if (status == CLI_EXIT_OK)
    status = cli_exit_status(callsig_stats_scaling(stats, &scaling.wanted, stdout, restrictions, count - recordings));
  /* The restrictions are of functions, whatever the rows are by. */
  if (status == CLI_EXIT_OK && callsig_stats_group(stats, CALLSIG_BY_FUNCTION) == 0)
    cli_recordings_tell_unfound(command, stats, arguments + recordings, count - recordings);
  if (status == CLI_EXIT_OK)
    status = cli_finish_output(cli_recordings_status(stats));
  callsig_stats_free(stats);
  return status;
}

const struct cli_command cli_command_scaling = {
    .name = "scaling",
    .summary = "how each function's time grows with its arguments",
    .help = help,
    .letters = ":s:",
    .options = option_table,
    .main = scaling_main,
};
