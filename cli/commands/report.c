/* callsig report: prints recordings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/commands/commands.h"
#include "cli/common/recordings.h"
#include "cli/common/row_options.h"
#include "cli/run/later_runs.h"
#include "cli/terminal/terminal.h"

/* As many rows of averages as torch.profiler's users see when they ask for no other number. */
#define AVERAGES_TOP "20"

static const char help[] =
    "usage: callsig report [FILE...] [RESTRICTION...] [OPTION...]\n"
    "\n"
    "Prints the recordings FILE... (default callsig.out) as one table. An argument that names an existing file is a\n"
    "recording; the rest are restrictions, applied in order: an integer takes so many rows, a fraction below 1 that "
    "share\n"
    "of them, anything else is a regular expression that is searched in the printed names. One that a file is called\n"
    "like is put into parentheses: '(main.c)'.\n"
    "\n"
    "  -s KEY[,KEY...]     sort by: calls, ncalls, cumtime, cumulative (the default, but that rows of threads that "
    "only\n"
    "                      slept come last), tottime, time, pcalls, filename, module, line, name, nfl, stdname, "
    "allocs,\n"
    "                      allocbytes, unfreed, cpu, wait (of tottime); unique prefixes are enough\n"
    "  --top N             only the first N rows, after all restrictions\n"
    "  --callers           for each row, who called it\n"
    "  --callees           for each row, whom it called\n"
    "  --view VIEW         pstats (default), or averages: torch.profiler's key averages, the first 20 without --top\n"
    "  --stack N           rows are by the innermost N functions around their calls, too\n"
    "  --columns LIST      of ncalls, pcalls, tottime, tottime%, tottime/call, cumtime, cumtime%, cumtime/call, min, "
    "max,\n"
    "                      p50, p90, p99, error, cumerror, timed, cpu, wait, waiterror, cumcpu, cumwait, "
    "cumwaiterror,\n"
    "                      allocs, allocbytes, unfreed (alloc: these three, of 'callsig run --alloc');\n"
    "                      +LIST adds them to pstats's\n"
    "  --percent           adds tottime% and cumtime% to the columns\n"
    "  --unit UNIT         s (default), ms, us, ns, or auto: each time in the unit that fits it\n"
    "  --notes             all notes below the table; else there are a few, of rows that are printed\n"
    "  --full-names        names of over 300 bytes as they are; else their middle is left out in tables\n"
    "  --format FORMAT     table (default), json or csv\n" /* and what all readers have */
    CLI_ROW_OPTION_HELP "  --help, --version\n"
    "\n"
    "On a terminal, tables have colours (unless NO_COLOR is set) and rows are shortened to its width:\n"
    "folders go first. Numbers stay whole, and 25 cells of each name, however narrow it is.\n";

typedef int print_fn(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

struct report_options {
  const char *sort, *format, *view;
  const char *top; /* NULL: all */
  unsigned stack;
  const char *columns; /* NULL: those of pstats */
  bool percent;        /* two more */
  struct callsig_stats_style style;
  struct cli_row_options rows;
  bool callers, callees;
};

enum {
  OPTION_CALLERS = CLI_ROW_OPTION_NEXT,
  OPTION_CALLEES,
  OPTION_FORMAT,
  OPTION_TOP,
  OPTION_VIEW,
  OPTION_STACK,
  OPTION_COLUMNS,
  OPTION_PERCENT,
  OPTION_UNIT,
  OPTION_NOTES,
  OPTION_FULL_NAMES,
};

static int read_unit(const struct cli_command *command, const char *text, unsigned *unit)
{
  static const struct {
    const char *name;
    unsigned unit;
  } units[] = {{"auto", CALLSIG_UNIT_AUTO},
               {"s", CALLSIG_UNIT_SECONDS},
               {"ms", CALLSIG_UNIT_MILLISECONDS},
               {"us", CALLSIG_UNIT_MICROSECONDS},
               {"ns", CALLSIG_UNIT_NANOSECONDS}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(units[i].name, text) == 0) {
      *unit = units[i].unit;
      return CLI_EXIT_OK;
    }
  }
  return cli_usage_error(command, "--unit: '%s' is none of auto, s, ms, us, ns", text);
}

/* Takes one option. Returns CLI_EXIT_OK, or CLI_EXIT_USAGE after a message. */
static int read_option(const struct cli_command *command, int option, const char *value, struct report_options *report)
{
  unsigned count;
  switch (option) {
  case 's':
    report->sort = value;
    return CLI_EXIT_OK;
  case OPTION_CALLERS:
    report->callers = true;
    return CLI_EXIT_OK;
  case OPTION_CALLEES:
    report->callees = true;
    return CLI_EXIT_OK;
  case OPTION_FORMAT:
    report->format = value;
    return CLI_EXIT_OK;
  case OPTION_TOP:
    report->top = value;
    return cli_read_count(command, "--top", value, &count);
  case OPTION_VIEW:
    report->view = value;
    return CLI_EXIT_OK;
  case OPTION_STACK:
    return cli_read_count(command, "--stack", value, &report->stack);
  case OPTION_COLUMNS:
    report->columns = value;
    return CLI_EXIT_OK;
  case OPTION_PERCENT:
    report->percent = true;
    return CLI_EXIT_OK;
  case OPTION_UNIT:
    return read_unit(command, value, &report->style.unit);
  case OPTION_NOTES:
    report->style.few_notes = 0;
    return CLI_EXIT_OK;
  case OPTION_FULL_NAMES:
    report->style.name_width = 0;
    return CLI_EXIT_OK;
  default:
    return cli_row_options_take(command, option, value, &report->rows);
  }
}

static const struct option option_table[] = {
    {"callers", no_argument, NULL, OPTION_CALLERS},
    {"callees", no_argument, NULL, OPTION_CALLEES},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"top", required_argument, NULL, OPTION_TOP},
    {"view", required_argument, NULL, OPTION_VIEW},
    {"stack", required_argument, NULL, OPTION_STACK},
    {"columns", required_argument, NULL, OPTION_COLUMNS},
    {"percent", no_argument, NULL, OPTION_PERCENT},
    {"unit", required_argument, NULL, OPTION_UNIT},
    {"notes", no_argument, NULL, OPTION_NOTES},
    {"full-names", no_argument, NULL, OPTION_FULL_NAMES},
    CLI_ROW_OPTION_TABLE,
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* Reads the options. Returns CLI_EXIT_OK with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cli_command *command, int argc, char **argv, struct report_options *report,
                        int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return -1;
    *status = read_option(command, option, optarg, report);
    if (*status != CLI_EXIT_OK)
      return -1;
  }
  return 0;
}

/* The option that asks for columns, or NULL. */
static const char *column_option(const struct report_options *report)
{
  return report->columns != NULL ? "--columns" : report->percent ? "--percent" : NULL;
}

static print_fn *choose_table(const struct cli_command *command, const struct report_options *report)
{
  bool averages = strcmp(report->view, "averages") == 0, relations = report->callers || report->callees;
  const char *relation = report->callers ? "--callers" : "--callees", *columns = column_option(report);
  if (averages && relations)
    cli_usage_error(command, "--view averages has no %s", relation);
  else if ((averages || relations) && columns != NULL)
    cli_usage_error(command, "%s has columns of its own: leave out %s", averages ? "--view averages" : relation,
                    columns);
  else if (averages)
    return callsig_stats_print_averages;
  else
    return report->callers ? callsig_stats_print_callers
                           : (report->callees ? callsig_stats_print_callees : callsig_stats_print);
  return NULL;
}

/* Chooses how to print. NULL after a message. */
static print_fn *choose_print(const struct cli_command *command, const struct report_options *report)
{
  bool relations = report->callers || report->callees, averages = strcmp(report->view, "averages") == 0;
  const char *columns = column_option(report);
  if (report->callers && report->callees)
    cli_usage_error(command, "--callers and --callees exclude each other");
  else if (!averages && strcmp(report->view, "pstats") != 0)
    cli_usage_error(command, "--view: '%s' is none of pstats, averages", report->view);
  else if (strcmp(report->format, "table") == 0)
    return choose_table(command, report);
  else if (strcmp(report->format, "json") != 0 && strcmp(report->format, "csv") != 0)
    cli_usage_error(command, "--format: '%s' is none of table, json, csv", report->format);
  else if (relations)
    cli_usage_error(command, "--format %s has no %s; they print as a table", report->format,
                    report->callers ? "--callers" : "--callees");
  else if (averages)
    cli_usage_error(command, "--format %s has no --view averages; it prints as a table", report->format);
  else if (columns != NULL)
    cli_usage_error(command, "--format %s has columns of its own: leave out %s", report->format, columns);
  else if (report->style.unit != CALLSIG_UNIT_SECONDS)
    cli_usage_error(command, "--format %s has times in seconds: leave out --unit", report->format);
  else
    return report->format[0] == 'j' ? callsig_stats_print_json : callsig_stats_print_csv;
  return NULL;
}

/* The style with the columns that were asked for: --percent adds to those of --columns. Returns an exit status. */
static int decorate(struct callsig_stats *stats, const struct report_options *report)
{
  char *columns = NULL;
  struct callsig_stats_style style = report->style;
  style.width = cli_terminal_width(STDOUT_FILENO);
  style.color = cli_terminal_has_color(STDOUT_FILENO);
  style.columns = report->columns;
  const char *before = report->columns != NULL ? report->columns : "+";
  if (report->percent &&
      asprintf(&columns, "%s%stottime%%,cumtime%%", before, report->columns != NULL ? "," : "") < 0) {
    cli_error("report: memory is short");
    return CLI_EXIT_FAILURE;
  }
  if (report->percent)
    style.columns = columns;
  int error = callsig_stats_set_style(stats, &style);
  free(columns);
  return cli_exit_status(error);
}

/* Groups, filters, sorts and decorates as asked. Returns an exit status. */
static int arrange(struct callsig_stats *stats, const struct report_options *report)
{
  int status = cli_row_options_apply(stats, &report->rows);
  if (status != CLI_EXIT_OK)
    return status;
  int error = callsig_stats_sort(stats, report->sort);
  if (error == 0)
    error = callsig_stats_stack(stats, report->stack);
  return error == 0 ? decorate(stats, report) : cli_exit_status(error);
}

/* Prints by `print` with the restrictions and --top behind them. Returns an exit status. */
static int print_all(struct callsig_stats *stats, print_fn *print, const struct report_options *report,
                     char **restrictions, size_t count)
{
  const char *top = report->top;
  if (top == NULL && count == 0 && print == callsig_stats_print_averages)
    top = AVERAGES_TOP;
  const char **all = calloc(count + 1, sizeof *all);
  if (all == NULL) {
    cli_error("report: memory is short");
    return CLI_EXIT_FAILURE;
  }
  for (size_t i = 0; i < count; i++)
    all[i] = restrictions[i];
  if (top != NULL)
    all[count++] = top;
  int error = print(stats, stdout, all, count);
  free(all);
  return cli_exit_status(error);
}

static int report_main(const struct cli_command *command, int argc, char **argv)
{
  struct report_options report = {
      .format = "table", .view = "pstats", .style = CLI_TABLE_STYLE, .rows = CLI_ROW_OPTIONS_DEFAULT};
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &report, &status) < 0)
    return status;
  print_fn *print = choose_print(command, &report);
  if (print == NULL)
    return CLI_EXIT_USAGE;

  char **arguments = argv + optind;
  size_t count = (size_t)(argc - optind), recordings = cli_recordings_to_front(arguments, count);
  struct callsig_stats *stats = NULL;
  status = cli_recordings_load(command, arguments, recordings, count - recordings, &stats);
  if (status == CLI_EXIT_OK && recordings < 2)
    cli_later_runs_tell("report", recordings ? arguments[0] : CLI_DEFAULT_RECORDING);
  if (status == CLI_EXIT_OK)
    status = arrange(stats, &report);
  if (status == CLI_EXIT_OK)
    status = print_all(stats, print, &report, arguments + recordings, count - recordings);
  if (status == CLI_EXIT_OK)
    cli_recordings_tell_unfound(command, stats, arguments + recordings, count - recordings);
  if (status == CLI_EXIT_OK)
    status = cli_finish_output(cli_recordings_status(stats));
  callsig_stats_free(stats);
  return status;
}

const struct cli_command cli_command_report = {
    .name = "report",
    .summary = "print recordings as a table, JSON or CSV",
    .help = help,
    .letters = ":s:",
    .options = option_table,
    .main = report_main,
};
