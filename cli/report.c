/* callsig report: prints recordings. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "callsig/stats.h"
#include "command.h"
#include "select.h"

#define DEFAULT_SORT "cumtime"

static const char help[] =
    "usage: callsig report [FILE...] [RESTRICTION...] [OPTION...]\n"
    "\n"
    "Prints the recordings FILE... (default callsig.out) as one table. An argument that names an existing file is a\n"
    "recording; the rest are restrictions, applied in order: an integer takes so many rows, a fraction below 1 that "
    "share\n"
    "of them, anything else is a regular expression that is searched in the printed names.\n"
    "\n"
    "  -s KEY[,KEY...]     sort by: calls, ncalls, cumtime, cumulative (default), tottime, time, pcalls, filename, "
    "module,\n"
    "                      line, name, nfl, stdname; unique prefixes are enough\n"
    "  --callers           for each row, who called it\n"
    "  --callees           for each row, whom it called\n"
    "  --format FORMAT     table (default), json or csv\n" /* and what all readers have */
    CS_SELECT_HELP "  --help, --version\n";

typedef int print_fn(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

struct report_options {
  const char *sort;
  const char *format;
  struct cs_select select;
  bool callers, callees;
};

/* Reads the options. Returns CS_EXIT_OK with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cs_command *command, int argc, char **argv, struct report_options *report,
                        int *status)
{
  enum {
    OPTION_CALLERS = CS_SELECT_OPTION_FIRST,
    OPTION_CALLEES,
    OPTION_FORMAT,
  };
  static const struct option options[] = {
      {"callers", no_argument, NULL, OPTION_CALLERS},
      {"callees", no_argument, NULL, OPTION_CALLEES},
      {"format", required_argument, NULL, OPTION_FORMAT},
      CS_SELECT_OPTIONS,
      CS_COMMON_OPTIONS,
      {NULL, 0, NULL, 0},
  };
  int option;
  while ((option = cs_next_option(command, argc, argv, ":s:", options, status)) != -1) {
    switch (option) {
    case -2:
      return -1;
    case 's':
      report->sort = optarg;
      break;
    case OPTION_CALLERS:
      report->callers = true;
      break;
    case OPTION_CALLEES:
      report->callees = true;
      break;
    case OPTION_FORMAT:
      report->format = optarg;
      break;
    default:
      *status = cs_select_option(command, option, optarg, &report->select);
      if (*status != CS_EXIT_OK)
        return -1;
    }
  }
  return 0;
}

/* Chooses how to print. NULL after a message. */
static print_fn *choose_print(const struct cs_command *command, const struct report_options *report)
{
  bool relations = report->callers || report->callees;
  if (report->callers && report->callees)
    cs_usage_error(command, "--callers and --callees exclude each other");
  else if (strcmp(report->format, "table") == 0)
    return report->callers ? callsig_stats_print_callers
                           : (report->callees ? callsig_stats_print_callees : callsig_stats_print);
  else if (strcmp(report->format, "json") != 0 && strcmp(report->format, "csv") != 0)
    cs_usage_error(command, "--format: '%s' is none of table, json, csv", report->format);
  else if (relations)
    cs_usage_error(command, "--format %s has no %s; they print as a table", report->format,
                   report->callers ? "--callers" : "--callees");
  else
    return report->format[0] == 'j' ? callsig_stats_print_json : callsig_stats_print_csv;
  return NULL;
}

static int report_main(const struct cs_command *command, int argc, char **argv)
{
  struct report_options report = {.sort = DEFAULT_SORT, .format = "table", .select = CS_SELECT_DEFAULT};
  int status = CS_EXIT_OK;
  if (read_options(command, argc, argv, &report, &status) < 0)
    return status;
  print_fn *print = choose_print(command, &report);
  if (print == NULL)
    return CS_EXIT_USAGE;

  char **arguments = argv + optind;
  size_t count = (size_t)(argc - optind), recordings = cs_select_recordings(arguments, count);
  const char *const *restrictions = (const char *const *)(arguments + recordings);
  struct callsig_stats *stats = NULL;
  status = cs_select_load(command, arguments, recordings, count > recordings ? restrictions[0] : NULL, &stats);
  if (status == CS_EXIT_OK)
    status = cs_select_apply(stats, &report.select);
  int error = status == CS_EXIT_OK ? callsig_stats_sort(stats, report.sort) : 0;
  if (error < 0)
    status = error == -EINVAL ? CS_EXIT_USAGE : CS_EXIT_FAILURE;
  if (status == CS_EXIT_OK && print(stats, stdout, restrictions, count - recordings) < 0)
    status = CS_EXIT_FAILURE;
  callsig_stats_free(stats);
  return status == CS_EXIT_OK ? cs_finish_output(status) : status;
}

const struct cs_command cs_command_report = {
    .name = "report",
    .summary = "print recordings as a table, JSON or CSV",
    .help = help,
    .main = report_main,
};
