/* callsig diff: what changed from some recordings to others. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callsig/diff.h"
#include "cli/commands/commands.h"
#include "cli/common/row_options.h"

static const char help[] =
    "usage: callsig diff [OPTION...] OLD NEW\n"
    "       callsig diff [OPTION...] OLD... -- NEW...\n"
    "\n"
    "Shows what changed from the recordings OLD to the recordings NEW, row by row. With two or more a side, each "
    "change "
    "has\n"
    "a confidence interval, and a test says which changes are noise. Functions whose line, folder or file changed, "
    "and\n"
    "clones (.constprop.0, .isra.0, .part.0, .cold), meet the function that they were.\n"
    "\n"
    "  -s KEY              sort by: change (default), relative, old, new, ncalls, p, name\n"
    "  --metric METRIC     what is judged: tottime (default), cumtime, percall\n"
    "  --level P           the probability, of all rows together, that noise is called a change; default 0.05\n"
    "  --min-time SECONDS  leave out rows that take less on both sides\n"
    "  --fail-above P%     exit with status 1 when a row, or all of them together, takes over P% longer\n"
    "  --top N             at most N rows\n"
    "  --all               rows that did not change, too\n"
    "  --format FORMAT     table (default), json or csv\n"
    "  --html FILE         write a page for a browser in place of printing: all rows, and the trees of both "
    "sides\n"
    "  --by GROUP[,GROUP]  rows are by: function, signature (default), stage, module,\n"
    "                      site (of the call, after callsig run --sites)\n" CLI_ROW_FILTER_HELP CLI_ROW_HOOKS_HELP
    "  --help, --version\n";

struct diff_command {
  const struct cli_command *command;
  struct cli_row_options rows;
  struct callsig_diff_options options;
  struct callsig_diff_view view;
  const char *format;
  const char *html;
  double fail_above; /* a part: 0.05; negative: nothing fails */
  char **files;      /* old, then new; owned, its strings are the command line's */
  size_t old_files, file_count;
};

/* A finite number of at least `least`, perhaps followed by `unit`. False when the text is something else. */
static bool read_number(const char *text, const char *unit, double least, double *number)
{
  char *end;
  errno = 0;
  *number = strtod(text, &end);
  if (end == text || errno != 0 || !isfinite(*number) || *number < least)
    return false;
  return *end == '\0' || (unit != NULL && strcmp(end, unit) == 0);
}

static int read_sort(struct diff_command *diff, const char *text)
{
  static const char *const keys[] = {
      [CALLSIG_DIFF_BY_CHANGE] = "change", [CALLSIG_DIFF_BY_RELATIVE] = "relative", [CALLSIG_DIFF_BY_OLD] = "old",
      [CALLSIG_DIFF_BY_NEW] = "new",       [CALLSIG_DIFF_BY_NCALLS] = "ncalls",     [CALLSIG_DIFF_BY_P] = "p",
      [CALLSIG_DIFF_BY_NAME] = "name",
  };
  for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (strcmp(keys[i], text) == 0) {
      diff->view.sort = i;
      return CLI_EXIT_OK;
    }
  }
  return cli_usage_error(diff->command, "-s: '%s' is none of change, relative, old, new, ncalls, p, name", text);
}

static int read_metric(struct diff_command *diff, const char *text)
{
  if (strcmp(text, "tottime") == 0)
    diff->options.metric = CALLSIG_DIFF_TOTTIME;
  else if (strcmp(text, "cumtime") == 0)
    diff->options.metric = CALLSIG_DIFF_CUMTIME;
  else if (strcmp(text, "percall") == 0)
    diff->options.metric = CALLSIG_DIFF_PERCALL;
  else
    return cli_usage_error(diff->command, "--metric: '%s' is none of tottime, cumtime, percall", text);
  return CLI_EXIT_OK;
}

static int read_top(struct diff_command *diff, const char *text)
{
  char *end;
  errno = 0;
  unsigned long long top = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || top == 0)
    return cli_usage_error(diff->command, "--top: '%s' is no number of rows, from 1 on", text);
  diff->view.has_limit = 1;
  diff->view.limit = top;
  return CLI_EXIT_OK;
}

enum {
  OPTION_METRIC = CLI_ROW_OPTION_NEXT,
  OPTION_LEVEL,
  OPTION_MIN_TIME,
  OPTION_FAIL_ABOVE,
  OPTION_TOP,
  OPTION_ALL,
  OPTION_FORMAT,
  OPTION_HTML,
};

static int read_option(struct diff_command *diff, int option)
{
  double number;
  switch (option) {
  case 1:
    diff->files[diff->file_count++] = optarg;
    return CLI_EXIT_OK;
  case 's':
    return read_sort(diff, optarg);
  case OPTION_METRIC:
    return read_metric(diff, optarg);
  case OPTION_LEVEL:
    if (!read_number(optarg, NULL, 0, &number) || number <= 0 || number >= 1)
      return cli_usage_error(diff->command, "--level: '%s' is no probability between 0 and 1", optarg);
    diff->options.level = number;
    return CLI_EXIT_OK;
  case OPTION_MIN_TIME:
    if (!read_number(optarg, "s", 0, &diff->options.min_time))
      return cli_usage_error(diff->command, "--min-time: '%s' is no number of seconds", optarg);
    return CLI_EXIT_OK;
  case OPTION_FAIL_ABOVE:
    if (!read_number(optarg, "%", 0, &number))
      return cli_usage_error(diff->command, "--fail-above: '%s' is no percentage, like 5%%", optarg);
    diff->fail_above = number / 100;
    return CLI_EXIT_OK;
  case OPTION_TOP:
    return read_top(diff, optarg);
  case OPTION_ALL:
    diff->view.all = 1;
    return CLI_EXIT_OK;
  case OPTION_FORMAT:
    diff->format = optarg;
    return CLI_EXIT_OK;
  case OPTION_HTML:
    diff->html = optarg;
    return CLI_EXIT_OK;
  default:
    return cli_row_options_take(diff->command, option, optarg, &diff->rows);
  }
}

/* Splits the files into two sides: those before and after "--", or OLD and NEW. `rest` are those after it. */
static int split_sides(struct diff_command *diff, char **rest, int count)
{
  diff->old_files = diff->file_count;
  for (int i = 0; i < count; i++) {
    if (rest[i][0] == '-' && access(rest[i], F_OK) != 0)
      return cli_usage_error(diff->command, "%s: after '--' come recordings alone; options come before it", rest[i]);
    diff->files[diff->file_count++] = rest[i];
  }
  if (count == 0 && diff->file_count == 2)
    diff->old_files = 1;
  else if (count == 0)
    return cli_usage_error(diff->command, "two recordings are compared, OLD NEW, or several a side, OLD... -- NEW...");
  else if (diff->old_files == 0)
    return cli_usage_error(diff->command, "nothing to compare with: name recordings before '--' too");
  return CLI_EXIT_OK;
}

static const struct option option_table[] = {
    {"metric", required_argument, NULL, OPTION_METRIC},
    {"level", required_argument, NULL, OPTION_LEVEL},
    {"min-time", required_argument, NULL, OPTION_MIN_TIME},
    {"fail-above", required_argument, NULL, OPTION_FAIL_ABOVE},
    {"top", required_argument, NULL, OPTION_TOP},
    {"all", no_argument, NULL, OPTION_ALL},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"html", required_argument, NULL, OPTION_HTML},
    CLI_ROW_OPTION_TABLE,
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* Reads the command line. CLI_EXIT_OK, or -1 with *status the exit status. */
static int read_options(struct diff_command *diff, int argc, char **argv, int *status)
{
  int option;
  while ((option = cli_next_option(diff->command, argc, argv, status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return -1;
    *status = read_option(diff, option);
    if (*status != CLI_EXIT_OK)
      return -1;
  }
  if (strcmp(diff->format, "table") != 0 && strcmp(diff->format, "json") != 0 && strcmp(diff->format, "csv") != 0)
    *status = cli_usage_error(diff->command, "--format: '%s' is none of table, json, csv", diff->format);
  else
    *status = split_sides(diff, argv + optind, argc - optind);
  return *status == CLI_EXIT_OK ? CLI_EXIT_OK : -1;
}

/* Loads every file on its side. Returns an exit status. */
static int load(const struct diff_command *command, struct callsig_diff *diff)
{
  int error = 0;
  for (size_t i = 0; i < command->file_count && error == 0; i++)
    error = callsig_diff_add(diff, i < command->old_files ? CALLSIG_DIFF_OLD : CALLSIG_DIFF_NEW, command->files[i]);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* Compares as asked. Returns an exit status: what is said wrongly is a usage error. */
static int compare(const struct diff_command *command, struct callsig_diff *diff)
{
  struct callsig_diff_options options = command->options;
  options.by = command->rows.by;
  options.filter = &command->rows.filter;
  options.strip_dirs = command->rows.strip_dirs;
  const int compensate[] = {[CLI_HOOK_COST_SUBTRACTED] = 1, [CLI_HOOK_COST_LEFT] = -1};
  options.compensate = compensate[command->rows.hook_cost];
  /* Before it, so that rows are sorted once. */
  int error = callsig_diff_arrange(diff, &command->view);
  if (error == 0)
    error = callsig_diff_compare(diff, &options);
  return cli_exit_status(error);
}

/* A user who asks for a limit and has one recording a side gets what these two say. */
static bool is_too_slow(const struct diff_command *command, unsigned verdict, double relative)
{
  return (verdict == CALLSIG_DIFF_SLOWER || verdict == CALLSIG_DIFF_UNJUDGED) && relative > command->fail_above;
}

/* Goes over all rows that changed, whatever is shown: counts those that take longer than they may, and finds the one
 * with the largest change. A negative errno after a message. */
static int count_too_slow(const struct diff_command *command, struct callsig_diff *diff, size_t *count,
                          struct callsig_diff_row *worst)
{
  const struct callsig_diff_view changed = {.size = sizeof changed, .sort = CALLSIG_DIFF_UNSORTED};
  struct callsig_diff_row row = {.size = sizeof row};
  int error = callsig_diff_arrange(diff, &changed);
  size_t rows = callsig_diff_row_count(diff);
  *count = 0;
  for (size_t i = 0; i < rows && error == 0; i++) {
    error = callsig_diff_row(diff, i, &row);
    if (error < 0 || !is_too_slow(command, row.verdict, row.relative))
      continue;
    if (*count == 0 || row.change > worst->change)
      *worst = row;
    ++*count;
  }
  return error;
}

/* Says what takes longer than it may, or why that is not known; CLI_EXIT_FAILURE then. New rows have nothing that they
 * could be a part of: they count in the whole. */
static int check_limit(const struct diff_command *command, struct callsig_diff *diff)
{
  struct callsig_diff_row worst = {.size = sizeof worst};
  struct callsig_diff_total total = {.size = sizeof total};
  double limit = command->fail_above * 100;
  size_t failed;
  if (count_too_slow(command, diff, &failed, &worst) < 0 || callsig_diff_total(diff, &total) < 0)
    return CLI_EXIT_FAILURE;
  if (total.timed_differently) {
    cli_error("diff: --fail-above: the recordings were timed differently (%s), which is no change of the program; "
              "record both sides with the same --clock and --times",
              total.timed_differently);
    return CLI_EXIT_FAILURE;
  }
  if (failed > 0) {
    cli_error("diff: %zu row%s over %g%% longer, most of all %s: %+.1f%%", failed, failed == 1 ? " takes" : "s take",
              limit, worst.name, worst.relative * 100);
    return CLI_EXIT_FAILURE;
  }
  if (is_too_slow(command, total.verdict, total.relative)) {
    cli_error("diff: all rows together take over %g%% longer: %+.1f%%", limit, total.relative * 100);
    return CLI_EXIT_FAILURE;
  }
  return CLI_EXIT_OK;
}

/* Prints to standard output. cli_finish_output() says why that could not be written, which the library does not know.
 */
static int print(const struct diff_command *command, const struct callsig_diff *diff)
{
  int (*const printer)(const struct callsig_diff *, FILE *) =
      command->format[0] == 't' ? callsig_diff_print
                                : (command->format[0] == 'j' ? callsig_diff_print_json : callsig_diff_print_csv);
  callsig_stats_set_message(cli_ignore_line, NULL);
  int error = printer(diff, stdout);
  callsig_stats_set_message(NULL, NULL);
  if (error < 0 && error != -EIO) {
    cli_error("diff: %s", error == -ENOMEM ? "out of memory" : strerror(-error));
    return CLI_EXIT_FAILURE;
  }
  return cli_finish_output(CLI_EXIT_OK);
}

/* A comparison of recordings that lack something is a failure; a message said so when they were read. */
static int check_damage(const struct callsig_diff *diff)
{
  struct callsig_diff_total total = {.size = sizeof total};
  return callsig_diff_total(diff, &total) < 0 || total.damaged > 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int run(const struct diff_command *command)
{
  struct callsig_diff *diff = NULL;
  int status = callsig_diff_new(&diff) < 0 ? CLI_EXIT_FAILURE : load(command, diff);
  if (status == CLI_EXIT_OK)
    status = compare(command, diff);
  if (status == CLI_EXIT_OK)
    status = command->html ? cli_exit_status(callsig_diff_write_html(diff, command->html)) : print(command, diff);
  if (status == CLI_EXIT_OK && command->fail_above >= 0)
    status = check_limit(command, diff);
  if (status == CLI_EXIT_OK)
    status = check_damage(diff);
  callsig_diff_free(diff);
  return status;
}

static int diff_main(const struct cli_command *command, int argc, char **argv)
{
  struct diff_command diff = {
      .command = command,
      .rows = CLI_ROW_OPTIONS_DEFAULT,
      .options = {.size = sizeof diff.options},
      .view = {.size = sizeof diff.view},
      .format = "table",
      .fail_above = -1,
      .files = calloc((size_t)argc + 1, sizeof *diff.files),
  };
  int status = CLI_EXIT_OK;
  if (!diff.files) {
    cli_error("diff: out of memory");
    return CLI_EXIT_FAILURE;
  }
  if (read_options(&diff, argc, argv, &status) == CLI_EXIT_OK)
    status = run(&diff);
  free(diff.files);
  return status;
}

const struct cli_command cli_command_diff = {
    .name = "diff",
    .summary = "show what changed between recordings, and what is noise",
    .help = help,
    /* With '-' getopt_long() gives arguments as options in their order, so that "--" is met where it is. */
    .letters = "-:s:",
    .options = option_table,
    .main = diff_main,
};
