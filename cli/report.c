/* callsig report: prints recordings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "callsig/stats.h"
#include "command.h"

#define DEFAULT_RECORDING "callsig.out"
#define DEFAULT_SORT      "cumtime"

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
    "  --by GROUP[,GROUP]  rows are by: function, signature (default), stage, thread, module\n"
    "  --function REGEX    only functions whose printed name matches\n"
    "  --signature EXPR    only calls whose arguments fulfil EXPR: 'n >= 4096 && mode == FAST'\n"
    "  --stage GLOB        only calls below a stage or action of such a name\n"
    "  --thread GLOB       only calls of threads of such a name\n"
    "  --module GLOB       only functions of such modules\n"
    "  --callers           for each row, who called it\n"
    "  --callees           for each row, whom it called\n"
    "  --strip-dirs        print file names without their folders; rows that become equal meet\n"
    "  --format FORMAT     table (default), json or csv\n"
    "  --compensate        subtract what the hooks themselves cost\n"
    "  --help, --version\n";

typedef int print_fn(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

struct report_options {
  const char *sort;
  const char *format;
  unsigned by; /* 0: the default */
  struct callsig_stats_filter filter;
  bool callers, callees, strip_dirs, compensate;
};

/* Reads "function,thread" into bits of enum callsig_stats_by. */
static int read_groups(const struct cs_command *command, const char *text, unsigned *by)
{
  static const struct {
    const char *name;
    unsigned bit;
  } groups[] = {
      {"function", CALLSIG_BY_FUNCTION}, {"signature", CALLSIG_BY_SIGNATURE}, {"stage", CALLSIG_BY_STAGE},
      {"thread", CALLSIG_BY_THREAD},     {"module", CALLSIG_BY_MODULE},
  };
  for (const char *end = text;; text = end + 1) {
    end = strchrnul(text, ',');
    size_t length = (size_t)(end - text), i = 0;
    while (i < 5 && (strlen(groups[i].name) != length || strncmp(groups[i].name, text, length) != 0))
      i++;
    if (i == 5)
      return cs_usage_error(command, "--by: '%.*s' is none of function, signature, stage, thread, module", (int)length,
                            text);
    *by |= groups[i].bit;
    if (*end == '\0')
      return CS_EXIT_OK;
  }
}

/* Reads the options. Returns CS_EXIT_OK with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cs_command *command, int argc, char **argv, struct report_options *report,
                        int *status)
{
  enum {
    OPTION_BY = CS_OPTION_FIRST,
    OPTION_FUNCTION,
    OPTION_SIGNATURE,
    OPTION_STAGE,
    OPTION_THREAD,
    OPTION_MODULE,
    OPTION_CALLERS,
    OPTION_CALLEES,
    OPTION_STRIP_DIRS,
    OPTION_FORMAT,
    OPTION_COMPENSATE,
  };
  static const struct option options[] = {
      {"by", required_argument, NULL, OPTION_BY},
      {"function", required_argument, NULL, OPTION_FUNCTION},
      {"signature", required_argument, NULL, OPTION_SIGNATURE},
      {"stage", required_argument, NULL, OPTION_STAGE},
      {"thread", required_argument, NULL, OPTION_THREAD},
      {"module", required_argument, NULL, OPTION_MODULE},
      {"callers", no_argument, NULL, OPTION_CALLERS},
      {"callees", no_argument, NULL, OPTION_CALLEES},
      {"strip-dirs", no_argument, NULL, OPTION_STRIP_DIRS},
      {"format", required_argument, NULL, OPTION_FORMAT},
      {"compensate", no_argument, NULL, OPTION_COMPENSATE},
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
    case OPTION_BY:
      *status = read_groups(command, optarg, &report->by);
      if (*status != CS_EXIT_OK)
        return -1;
      break;
    case OPTION_FUNCTION:
      report->filter.function = optarg;
      break;
    case OPTION_SIGNATURE:
      report->filter.signature = optarg;
      break;
    case OPTION_STAGE:
      report->filter.stage = optarg;
      break;
    case OPTION_THREAD:
      report->filter.thread = optarg;
      break;
    case OPTION_MODULE:
      report->filter.module = optarg;
      break;
    case OPTION_CALLERS:
      report->callers = true;
      break;
    case OPTION_CALLEES:
      report->callees = true;
      break;
    case OPTION_STRIP_DIRS:
      report->strip_dirs = true;
      break;
    case OPTION_FORMAT:
      report->format = optarg;
      break;
    default:
      report->compensate = true;
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

/* Moves the recordings among the `count` arguments to the front, in order. Returns how many they are. */
static size_t sort_arguments(char **arguments, size_t count)
{
  size_t recordings = 0;
  for (size_t i = 0; i < count; i++) {
    struct stat status;
    if (stat(arguments[i], &status) != 0 || S_ISDIR(status.st_mode))
      continue;
    char *recording = arguments[i];
    memmove(arguments + recordings + 1, arguments + recordings, (i - recordings) * sizeof *arguments);
    arguments[recordings++] = recording;
  }
  return recordings;
}

/* Loads the recordings into one object. */
static int load(char **recordings, size_t count, struct callsig_stats **stats)
{
  int error = callsig_stats_load(recordings[0], stats);
  for (size_t i = 1; error == 0 && i < count; i++)
    error = callsig_stats_add(*stats, recordings[i]);
  return error;
}

/* Groups, filters and sorts as asked. Returns an exit status: what is said wrongly is a usage error. */
static int arrange(struct callsig_stats *stats, const struct report_options *report)
{
  int error = callsig_stats_filter(stats, &report->filter);
  if (error == 0)
    error = callsig_stats_sort(stats, report->sort);
  if (error == -EINVAL)
    return CS_EXIT_USAGE;
  if (error == 0 && report->by != 0)
    error = callsig_stats_group(stats, report->by);
  if (error == 0 && report->compensate)
    error = callsig_stats_compensate(stats, 1);
  if (error == 0 && report->strip_dirs)
    error = callsig_stats_strip_dirs(stats);
  return error < 0 ? CS_EXIT_FAILURE : CS_EXIT_OK;
}

static int report_main(const struct cs_command *command, int argc, char **argv)
{
  struct report_options report = {
      .sort = DEFAULT_SORT, .format = "table", .filter = {.size = sizeof(struct callsig_stats_filter)}};
  int status = CS_EXIT_OK;
  if (read_options(command, argc, argv, &report, &status) < 0)
    return status;
  print_fn *print = choose_print(command, &report);
  if (print == NULL)
    return CS_EXIT_USAGE;

  char *standard = DEFAULT_RECORDING;
  char **arguments = argv + optind;
  size_t count = (size_t)(argc - optind);
  size_t recordings = sort_arguments(arguments, count);
  const char *const *restrictions = (const char *const *)(arguments + recordings);
  struct stat file;
  if (recordings == 0 && stat(standard, &file) != 0) {
    cs_error("report: %s%s: %s; name a recording, or make one with 'callsig run PROGRAM'",
             count > 0 ? arguments[0] : "", count > 0 ? " is not a file, and " DEFAULT_RECORDING : DEFAULT_RECORDING,
             strerror(errno));
    return CS_EXIT_FAILURE;
  }
  struct callsig_stats *stats = NULL;
  int error = recordings > 0 ? load(arguments, recordings, &stats) : load(&standard, 1, &stats);
  status = error < 0 ? CS_EXIT_FAILURE : arrange(stats, &report);
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
