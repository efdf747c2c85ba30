/* callsig export: recordings in the formats of other tools. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/commands/commands.h"
#include "cli/common/process_recording.h"
#include "cli/common/recordings.h"
#include "cli/common/row_options.h"
#include "cli/push/push.h"

static const char help[] =
    "usage: callsig export --to FORMAT [FILE...] [-o OUT] [OPTION...]\n"
    "\n"
    "Writes the recordings FILE... (default callsig.out) in a format that other tools read, "
    "into OUT, or to standard\n"
    "output without -o or with '-o -'.\n"
    "\n"
    "  --to FORMAT         callgrind   KCachegrind, callgrind_annotate\n"
    "                      chrome      the timeline: chrome://tracing, ui.perfetto.dev\n"
    "                      csv         RFC 4180, as 'callsig report --format csv'\n"
    "                      dot         graphviz: the call graph, coloured by time\n"
    "                      flamegraph  SVG for a browser: zoom, search\n"
    "                      folded      collapsed stacks: flamegraph.pl, inferno\n"
    "                      html        a page for a browser: rows, trees, callers, laws, stages\n"
    "                      json        as 'callsig report --format json'\n"
    "                      otf2        a folder: Vampir, otf2-print; the timeline, and sums by path\n"
    "                      otlp        OpenTelemetry's profiles (protobuf); as pprof, by its collectors\n"
    "                      perfetto    the timeline: ui.perfetto.dev, trace_processor\n"
    "                      pprof       go tool pprof; arguments and stages are labels\n"
    "                      pstats      Python's pstats, SnakeViz, gprof2dot\n"
    "                      speedscope  speedscope.app\n"
    "  -o, --output OUT    the file to write; it appears when it is complete\n"
    "  --weight WEIGHT     of folded and flamegraph: time (default) or calls\n"
    "  --cutoff PART       of dot and flamegraph: leave out what has less than PART (0.005) of "
    "the whole; 0: nothing\n"
    "  --db FILE           of html: draw the intervals of a database that 'callsig run --db' wrote, too\n"
    "  --push URL          of pprof: send what a program that runs (PID or FILE) does in each interval to URL, until "
    "it\n"
    "                      ends (docs/serve.md)\n"
    "  --interval S        of --push: the interval in seconds (1 to 3600, default 15)\n"
    "  --spool DIR         of --push: the folder of what waits to be sent (default FILE.push)\n"
    "  --token-file FILE   of --push: send the token in FILE: 'Authorization: Bearer TOKEN'\n"
    /* and what all readers have */
    CLI_ROW_OPTION_HELP "  --help, --version\n";

struct export_options {
  struct callsig_stats_export wanted;
  const char *output;
  struct cli_push_options push;
  bool is_selected; /* by an option of rows */
  struct cli_row_options rows;
};

static bool read_cutoff(const char *text, struct callsig_stats_export *wanted)
{
  char *end;
  wanted->cutoff = strtod(text, &end);
  wanted->has_cutoff = 1;
  return end != text && *end == '\0' && wanted->cutoff >= 0 && wanted->cutoff < 1;
}

enum {
  OPTION_TO = CLI_ROW_OPTION_NEXT,
  OPTION_WEIGHT,
  OPTION_CUTOFF,
  OPTION_DB,
  OPTION_PUSH,
  OPTION_INTERVAL,
  OPTION_SPOOL,
  OPTION_TOKEN_FILE,
};

static const struct option option_table[] = {
    {"to", required_argument, NULL, OPTION_TO},
    {"weight", required_argument, NULL, OPTION_WEIGHT},
    {"cutoff", required_argument, NULL, OPTION_CUTOFF},
    {"db", required_argument, NULL, OPTION_DB},
    {"push", required_argument, NULL, OPTION_PUSH},
    {"interval", required_argument, NULL, OPTION_INTERVAL},
    {"spool", required_argument, NULL, OPTION_SPOOL},
    {"token-file", required_argument, NULL, OPTION_TOKEN_FILE},

    {"output", required_argument, NULL, 'o'},
    CLI_ROW_OPTION_TABLE,
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* Reads the length of an interval. An exit status. */
static int read_interval(const struct cli_command *command, const char *text, double *interval)
{
  char *end;
  *interval = strtod(text, &end);
  if (end != text && *end == '\0' && *interval >= 1 && *interval <= 3600)
    return CLI_EXIT_OK;
  return cli_usage_error(command, "--interval: '%s' is no number of seconds from 1 to 3600", text);
}

/* Reads the options. Returns 0 with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cli_command *command, int argc, char **argv, struct export_options *export,
                        int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    switch (option) {
    case CLI_OPTION_ANSWERED:
      return -1;
    case 'o':
      export->output = optarg;
      break;
    case OPTION_TO:
      export->wanted.format = optarg;
      break;
    case OPTION_WEIGHT:
      export->wanted.weight = optarg;
      break;
    case OPTION_DB:
      export->wanted.database = optarg;
      break;
    case OPTION_CUTOFF:
      if (!read_cutoff(optarg, &export->wanted)) {
        *status = cli_usage_error(command, "--cutoff: '%s' is no number of at least 0 and below 1", optarg);
        return -1;
      }
      break;
    case OPTION_PUSH:
      export->push.url = optarg;
      break;
    case OPTION_SPOOL:
      export->push.spool = optarg;
      break;
    case OPTION_TOKEN_FILE:
      export->push.token_file = optarg;
      break;
    case OPTION_INTERVAL:
      *status = read_interval(command, optarg, &export->push.interval);
      if (*status != CLI_EXIT_OK)
        return -1;
      break;
    default:
      export->is_selected = true;
      *status = cli_row_options_take(command, option, optarg, &export->rows);
      if (*status != CLI_EXIT_OK)
        return -1;
    }
  }
  return 0;
}

/* The format of this name, or NULL after a message that lists all that there are. */
static const char *find_format(const struct cli_command *command, const char *wanted)
{
  char list[256] = "";
  const char *name;
  for (size_t i = 0; (name = callsig_stats_export_format(i)) != NULL; i++) {
    if (wanted != NULL && strcmp(wanted, name) == 0)
      return name;
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", name);
  }
  if (wanted == NULL)
    cli_usage_error(command, "no format: add --to and one of %s", list);
  else
    cli_usage_error(command, "--to: '%s' is none of %s", wanted, list);
  return NULL;
}

/* True for the formats that hold what was called when. */
static bool is_timeline(const char *format)
{
  return strcmp(format, "chrome") == 0 || strcmp(format, "html") == 0 || strcmp(format, "otf2") == 0 ||
         strcmp(format, "perfetto") == 0;
}

/* What a format has no room for is a usage error. */
static int write_export(struct callsig_stats *stats, const struct export_options *export)
{
  int error = export->output != NULL ? callsig_stats_export_file(stats, &export->wanted, export->output)
                                     : callsig_stats_export(stats, &export->wanted, stdout);
  return cli_exit_status(error);
}

/* The export must not take the place of what it is made from. */
static bool is_one_of(const char *output, const char *const *files, size_t count)
{
  struct stat out, file;
  if (output == NULL || stat(output, &out) != 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    if (stat(files[i], &file) == 0 && file.st_dev == out.st_dev && file.st_ino == out.st_ino)
      return true;
  }
  return false;
}

static bool is_binary(const char *format)
{
  return strcmp(format, "otlp") == 0 || strcmp(format, "perfetto") == 0 || strcmp(format, "pstats") == 0 ||
         strcmp(format, "pprof") == 0;
}

/* Sends instead of writing. */
static int push(const struct cli_command *command, const struct export_options *export, int count, char **arguments)
{
  char recording[PATH_MAX];
  if (strcmp(export->wanted.format, "pprof") != 0)
    return cli_usage_error(command, "--push sends profiles of pprof: add --to pprof");
  if (export->output != NULL || export->is_selected || export->wanted.weight != NULL || export->wanted.has_cutoff ||
      export->wanted.database != NULL)
    return cli_usage_error(command, "--push sends all calls, and writes no file: leave out -o and what selects");
  if (count > 1)
    return cli_usage_error(command, "--push: one process or recording at a time, not %d", count);
  int status = cli_recording_find("export", count > 0 ? arguments[0] : NULL, recording);
  struct cli_push_options options = export->push;
  options.recording = recording;
  if (options.interval == 0)
    options.interval = CLI_PUSH_DEFAULT_INTERVAL;
  return status == CLI_EXIT_OK ? cli_push(&options) : status;
}

static int export_main(const struct cli_command *command, int argc, char **argv)
{
  struct export_options export = {.wanted = {.size = sizeof export.wanted}, .rows = CLI_ROW_OPTIONS_DEFAULT};
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &export, &status) < 0)
    return status;
  const char *format = find_format(command, export.wanted.format);
  if (format == NULL)
    return CLI_EXIT_USAGE;
  export.wanted.format = format;
  if (export.push.url != NULL)
    return push(command, &export, argc - optind, argv + optind);
  if (export.push.interval > 0 || export.push.spool != NULL || export.push.token_file != NULL)
    return cli_usage_error(command, "--interval, --spool and --token-file are of --push URL: give that too");
  if (export.output != NULL && strcmp(export.output, "-") == 0)
    export.output = NULL;
  if (export.output == NULL && strcmp(format, "otf2") == 0)
    return cli_usage_error(command, "otf2 is a folder of files: name it with -o OUT");
  if (export.output == NULL && isatty(STDOUT_FILENO) && is_binary(format))
    return cli_usage_error(command, "%s is no text for a terminal: name a file with -o OUT", format);

  char **arguments = argv + optind;
  size_t count = (size_t)(argc - optind), recordings = cli_recordings_to_front(arguments, count);
  if (recordings < count) {
    struct stat file;
    cli_error("export: %s: %s; name recordings", arguments[recordings],
              stat(arguments[recordings], &file) != 0 ? strerror(errno) : "is a folder");
    return CLI_EXIT_FAILURE;
  }
  static const char *const standard[] = {CLI_DEFAULT_RECORDING};
  if (is_one_of(export.output, recordings > 0 ? (const char *const *)arguments : standard,
                recordings > 0 ? recordings : 1))
    return cli_usage_error(command, "%s is the recording itself: name another file with -o OUT", export.output);
  if (export.wanted.database != NULL && is_one_of(export.output, &export.wanted.database, 1))
    return cli_usage_error(command, "%s is the database itself: name another file with -o OUT", export.output);
  struct callsig_stats *stats = NULL;
  status = cli_recordings_load_all(command, arguments, recordings, is_timeline(format), &stats);
  if (status == CLI_EXIT_OK)
    status = cli_row_options_apply(stats, &export.rows);
  if (status == CLI_EXIT_OK)
    status = write_export(stats, &export);
  if (status == CLI_EXIT_OK)
    status = cli_recordings_status(stats);
  callsig_stats_free(stats);
  return status;
}

const struct cli_command cli_command_export = {
    .name = "export",
    .summary = "write recordings in the formats of other tools",
    .help = help,
    .letters = ":o:",
    .options = option_table,
    .main = export_main,
};
