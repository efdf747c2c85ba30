/* callsig diff: what changed from some recordings to others. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/select.h"
#include "output/diff/diff_print.h"

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
    "  --format FORMAT     table (default), json or csv\n" CLI_SELECT_HELP "  --help, --version\n";

struct diff_command {
  const struct cli_command *command;
  struct cli_select select;
  struct out_diff_options options;
  struct out_diff_view view;
  const char *format;
  double fail_above; /* a part: 0.05; negative: nothing fails */
  char **files;      /* old, then new */
  uint32_t old_files, file_count;
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

static int read_key(struct diff_command *diff, const char *text)
{
  static const char *const keys[] = {
      [OUT_DIFF_BY_CHANGE] = "change", [OUT_DIFF_BY_RELATIVE] = "relative", [OUT_DIFF_BY_OLD] = "old",
      [OUT_DIFF_BY_NEW] = "new",       [OUT_DIFF_BY_CALLS] = "ncalls",      [OUT_DIFF_BY_P] = "p",
      [OUT_DIFF_BY_NAME] = "name",
  };
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (strcmp(keys[i], text) == 0) {
      diff->view.key = (enum out_diff_key)i;
      return CLI_EXIT_OK;
    }
  }
  return cli_usage_error(diff->command, "-s: '%s' is none of change, relative, old, new, ncalls, p, name", text);
}

static int read_metric(struct diff_command *diff, const char *text)
{
  if (strcmp(text, "tottime") == 0)
    diff->options.metric = OUT_DIFF_TOTTIME;
  else if (strcmp(text, "cumtime") == 0)
    diff->options.metric = OUT_DIFF_CUMTIME;
  else if (strcmp(text, "percall") == 0)
    diff->options.metric = OUT_DIFF_PERCALL;
  else
    return cli_usage_error(diff->command, "--metric: '%s' is none of tottime, cumtime, percall", text);
  return CLI_EXIT_OK;
}

static int read_top(struct diff_command *diff, const char *text)
{
  char *end;
  errno = 0;
  unsigned long long top = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
    return cli_usage_error(diff->command, "--top: '%s' is no number of rows", text);
  diff->view.top = top;
  return CLI_EXIT_OK;
}

enum {
  OPTION_METRIC = CLI_SELECT_OPTION_FIRST,
  OPTION_LEVEL,
  OPTION_MIN_TIME,
  OPTION_FAIL_ABOVE,
  OPTION_TOP,
  OPTION_ALL,
  OPTION_FORMAT,
};

static int read_option(struct diff_command *diff, int option)
{
  double number;
  switch (option) {
  case 1:
    diff->files[diff->file_count++] = optarg;
    return CLI_EXIT_OK;
  case 's':
    return read_key(diff, optarg);
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
    diff->view.all = true;
    return CLI_EXIT_OK;
  case OPTION_FORMAT:
    diff->format = optarg;
    return CLI_EXIT_OK;
  default:
    return cli_select_option(diff->command, option, optarg, &diff->select);
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

/* Reads the command line. CLI_EXIT_OK, or -1 with *status the exit status. */
static int read_options(struct diff_command *diff, int argc, char **argv, int *status)
{
  static const struct option options[] = {
      {"metric", required_argument, NULL, OPTION_METRIC},
      {"level", required_argument, NULL, OPTION_LEVEL},
      {"min-time", required_argument, NULL, OPTION_MIN_TIME},
      {"fail-above", required_argument, NULL, OPTION_FAIL_ABOVE},
      {"top", required_argument, NULL, OPTION_TOP},
      {"all", no_argument, NULL, OPTION_ALL},
      {"format", required_argument, NULL, OPTION_FORMAT},
      CLI_SELECT_OPTIONS,
      CLI_COMMON_OPTIONS,
      {NULL, 0, NULL, 0},
  };
  int option;
  /* With '-' getopt_long() gives arguments as options in their order, so that "--" is met where it is. */
  while ((option = cli_next_option(diff->command, argc, argv, "-:s:", options, status)) != -1) {
    if (option == -2)
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

/* Loads every file; `ends` gets how many recordings there are after each. */
static int load(const struct diff_command *diff, uint32_t *ends, struct callsig_stats **stats)
{
  int error = callsig_stats_load(diff->files[0], stats);
  if (error == 0)
    ends[0] = (*stats)->profile.recordings.count;
  for (uint32_t i = 1; i < diff->file_count && error == 0; i++) {
    error = callsig_stats_add(*stats, diff->files[i]);
    ends[i] = (*stats)->profile.recordings.count;
  }
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static bool fails(const struct diff_command *diff, const struct out_diff_change *change, enum out_diff_metric metric)
{
  return change->verdict == OUT_DIFF_SLOWER && out_diff_relative(change, metric) > diff->fail_above;
}

/* Says what takes longer than it may; CLI_EXIT_FAILURE then. New rows have nothing that they could be a part of: they
 * count in the whole. */
static int check_limit(const struct diff_command *command, const struct out_diff *diff)
{
  enum out_diff_metric metric = diff->options.metric;
  const struct out_diff_row *worst = NULL;
  uint32_t failed = 0;
  for (uint32_t i = 0; i < diff->rows.count; i++) {
    const struct out_diff_row *row = base_vector_at(&diff->rows, i);
    if (!fails(command, &row->change, metric))
      continue;
    failed++;
    if (!worst || out_diff_amount(&row->change, metric) > out_diff_amount(&worst->change, metric))
      worst = row;
  }
  struct out_names names = out_diff_names(diff);
  struct out_arguments scratch = {0};
  struct out_text name = {0};
  double limit = command->fail_above * 100;
  if (worst) {
    out_row_name(&names, &worst->key, &scratch, &name);
    cli_error("diff: %u row%s over %g%% longer, most of all %s: %+.1f%%", failed, failed == 1 ? " takes" : "s take",
              limit, out_text_string(&name), out_diff_relative(&worst->change, metric) * 100);
  } else if (fails(command, &diff->total, OUT_DIFF_TOTTIME)) {
    cli_error("diff: all rows together take over %g%% longer: %+.1f%%", limit,
              out_diff_relative(&diff->total, OUT_DIFF_TOTTIME) * 100);
    failed++;
  }
  out_arguments_free(&scratch);
  out_text_free(&name);
  return failed > 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int print(const struct diff_command *command, const struct out_diff *diff)
{
  int (*const printer)(const struct out_diff *, const struct out_diff_view *, FILE *) =
      command->format[0] == 't' ? out_diff_print_table
                                : (command->format[0] == 'j' ? out_diff_print_json : out_diff_print_csv);
  int error = printer(diff, &command->view, stdout);
  if (error == -ENOMEM)
    cli_error("diff: out of memory");
  int status = error == -EIO ? CLI_EXIT_OK : (error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK);
  return status == CLI_EXIT_OK ? cli_finish_output(status) : status;
}

static int run(const struct diff_command *command)
{
  struct callsig_stats *stats = NULL;
  uint32_t *ends = calloc(command->file_count + 1u, sizeof *ends);
  struct out_diff diff = {0};
  int status = ends ? load(command, ends, &stats) : CLI_EXIT_FAILURE;
  if (!ends)
    cli_error("diff: out of memory");
  if (status == CLI_EXIT_OK)
    status = cli_select_apply(stats, &command->select);
  if (status == CLI_EXIT_OK) {
    int error = out_diff_make(stats, ends, command->old_files, command->file_count, &command->options, &diff);
    status = error == -EINVAL ? CLI_EXIT_USAGE : (error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK);
    if (error == 0)
      status = print(command, &diff);
    if (error == 0 && status == CLI_EXIT_OK && command->fail_above >= 0)
      status = check_limit(command, &diff);
    if (error == 0)
      out_diff_free(&diff);
  }
  callsig_stats_free(stats);
  free(ends);
  return status;
}

static int diff_main(const struct cli_command *command, int argc, char **argv)
{
  struct diff_command diff = {
      .command = command,
      .select = CLI_SELECT_DEFAULT,
      .options = {.metric = OUT_DIFF_TOTTIME, .level = 0.05},
      .view = {.key = OUT_DIFF_BY_CHANGE, .top = UINT64_MAX},
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
    .main = diff_main,
};
