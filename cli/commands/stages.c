/* callsig stages: the pipelines of recordings, and what holds them back. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "callsig/stats.h"
#include "cli/commands/commands.h"
#include "cli/common/recordings.h"
#include "cli/run/later_runs.h"

static const char help[] =
    "usage: callsig stages [OPTION...] [FILE...]\n"
    "\n"
    "Prints the stages and queues of the recordings FILE... (default callsig.out), one after the other, those of a\n"
    "merged recording process by process, and for each pipeline which stage bounds it and why, and the functions and\n"
    "arguments that take most of that stage's time. The program may still be running. A database of 'callsig run "
    "--db'\n"
    "prints as the summary of all its intervals, as JSON interval by interval. Processes that queues connect print "
    "once\n"
    "more, as one.\n"
    "\n"
    "  --actions          the table of named actions in place of that\n"
    "  --db FILE          print nothing, and add to the SQLite database FILE what it lacks of these runs\n"
    "  --format FORMAT    text (default) or json\n"
    "  --plot OUT         print nothing, and draw the pipelines and what their stages and queues did over time: OUT "
    "is\n"
    "                     an SVG or a page, as its name ends in .svg or .html\n"
    "  --run N            of a database the run of this number alone, or the last one (last)\n"
    "  --what-if SETTINGS what the throughput would be with other settings, such as 'resize=4,queue:frames=64': a "
    "stage "
    "that\n"
    "                     works on 4 tasks at a time, and a queue for 64 items (of blocks that go round: so many)\n"
    "  --help, --version\n";

/* What is printed of each pipeline. */
enum what { WHAT_TEXT, WHAT_JSON, WHAT_ACTIONS };

struct print {
  enum what what;
  const char *what_if; /* NULL: none */
  uint64_t run;        /* of a database; 0: all */
};

struct stages_options {
  bool actions;
  const char *format;
  const char *database; /* NULL: print */
  const char *plot;     /* the same */
  uint64_t run;         /* of a database; 0: all */
  const char *what_if;  /* NULL: none */
};

enum { OPTION_ACTIONS = CLI_OPTION_NEXT, OPTION_FORMAT, OPTION_DATABASE, OPTION_PLOT, OPTION_RUN, OPTION_WHAT_IF };

static const struct option option_table[] = {
    {"actions", no_argument, NULL, OPTION_ACTIONS},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"db", required_argument, NULL, OPTION_DATABASE},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"run", required_argument, NULL, OPTION_RUN},
    {"what-if", required_argument, NULL, OPTION_WHAT_IF},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* A run's number, or "last"; 0 when it is neither. */
static uint64_t read_run(const char *text)
{
  char *end;
  if (strcmp(text, "last") == 0)
    return CALLSIG_LAST_RUN;
  errno = 0;
  const unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  return number > 0 && *end == '\0' && errno == 0 && number <= INT64_MAX ? number : 0;
}

/* Reads the options. Returns 0 with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cli_command *command, int argc, char **argv, struct stages_options *stages,
                        int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return -1;
    if (option == OPTION_ACTIONS)
      stages->actions = true;
    else if (option == OPTION_DATABASE)
      stages->database = optarg;
    else if (option == OPTION_PLOT)
      stages->plot = optarg;
    else if (option == OPTION_WHAT_IF)
      stages->what_if = optarg;
    else if (option != OPTION_RUN)
      stages->format = optarg;
    else if ((stages->run = read_run(optarg)) == 0) {
      *status = cli_usage_error(command, "--run: '%s' is neither the number of a run nor last", optarg);
      return -1;
    }
  }
  return 0;
}

/* Does the text end as a setting does, in "=NUMBER" behind a name? Which name that is, and whether it is of a list, is
 * known by the recording alone. */
static bool ends_as_setting(const char *text)
{
  const char *equals = strrchr(text, '=');
  return equals != NULL && equals != text && equals[1] != '\0' && equals[1 + strspn(equals + 1, "0123456789")] == '\0';
}

/* Chooses what to print. False after a message. */
static bool choose_print(const struct cli_command *command, const struct stages_options *stages, struct print *print)
{
  bool json = strcmp(stages->format, "json") == 0;
  *print = (struct print){.what = json              ? WHAT_JSON
                                  : stages->actions ? WHAT_ACTIONS
                                                    : WHAT_TEXT,
                          .what_if = stages->what_if,
                          .run = stages->run};
  if (!json && strcmp(stages->format, "text") != 0)
    cli_usage_error(command, "--format: '%s' is neither text nor json", stages->format);
  else if (json && stages->actions)
    cli_usage_error(command, "--actions prints text; the actions are in the JSON without it");
  else if (stages->what_if != NULL && (stages->actions || stages->database != NULL || stages->plot != NULL))
    cli_usage_error(command, "--what-if is part of the verdict: it goes with none of --actions, --db and --plot");
  else if (stages->what_if != NULL && !ends_as_setting(stages->what_if))
    cli_usage_error(command, "--what-if: '%s' is no setting: write STAGE=THREADS or queue:QUEUE=ITEMS",
                    stages->what_if);
  else
    return true;
  return false;
}

static int print_pipeline(const struct callsig_pipeline *pipeline, const struct print *print)
{
  if (print->what == WHAT_ACTIONS)
    return callsig_pipeline_print_actions(pipeline, stdout);
  if (print->what == WHAT_JSON)
    return callsig_pipeline_print_json_what_if(pipeline, print->what_if, stdout);
  return callsig_pipeline_print_what_if(pipeline, print->what_if, stdout);
}

/* Whether the file begins as SQLite's do. */
static bool is_database(const char *path)
{
  static const char magic[16] = "SQLite format 3";
  char begin[sizeof magic];
  /* Without waiting for who would write to a FIFO. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  bool found = file >= 0 && pread(file, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
               memcmp(begin, magic, sizeof magic) == 0;
  if (file >= 0)
    close(file);
  return found;
}

/* A line above what a file holds. */
static void print_name(const char *path)
{
  char name[4 * PATH_MAX];
  base_printable_line(name, sizeof name, path);
  printf("%s:\n", name);
}

static int print_database(const char *path, const struct print *print)
{
  if (print->what == WHAT_ACTIONS)
    cli_error("stages: %s: a database has no actions; name the recording", path);
  else if (print->what_if != NULL)
    cli_error("stages: %s: a database has no verdict; name the recording for --what-if", path);
  else if (print->what == WHAT_JSON)
    return callsig_monitor_print_json_run(path, print->run, stdout) < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
  else
    return callsig_monitor_print_run(path, print->run, stdout) < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
  return CLI_EXIT_FAILURE;
}

/* What was printed, and is kept until all is. */
struct printed {
  struct callsig_pipeline **pipelines;
  size_t count;
  size_t files;
  size_t processes; /* of all files, that have something of a pipeline */
  bool damaged;     /* a file lacks something, which was told when it was read */
};

static bool is_damaged(struct callsig_pipeline **pipelines, size_t count)
{
  struct callsig_pipeline_info info = {.size = sizeof info};
  for (size_t i = 0; i < count; i++) {
    if (callsig_pipeline_info(pipelines[i], &info) == 0 && info.damaged > 0)
      return true;
  }
  return false;
}

static bool is_told(const struct callsig_pipeline *pipeline, const struct print *print)
{
  if (print->what == WHAT_ACTIONS)
    return callsig_pipeline_action_count(pipeline) > 0;
  return print->what == WHAT_JSON || callsig_pipeline_stage_count(pipeline) + callsig_pipeline_queue_count(pipeline) +
                                             callsig_pipeline_counter_count(pipeline) >
                                         0;
}

/* Prints what a file has of one process after the other. Of several, those that have nothing to print are left out. */
static int print_pipelines(struct callsig_pipeline **pipelines, size_t count, bool named, const struct print *print)
{
  size_t told = 0;
  int error = 0;
  for (size_t i = 0; i < count; i++)
    told += is_told(pipelines[i], print);
  for (size_t i = 0; i < count && error == 0; i++) {
    struct callsig_pipeline_info info = {.size = sizeof info};
    if (told == 0 ? i > 0 : !is_told(pipelines[i], print))
      continue;
    callsig_pipeline_info(pipelines[i], &info);
    if (named || (told > 1 && print->what != WHAT_JSON))
      print_name(info.path);
    error = print_pipeline(pipelines[i], print);
  }
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* Prints the processes that queues connect once more, as one. Returns an exit status. */
static int print_joined(struct callsig_pipeline **pipelines, size_t count, const struct print *print)
{
  struct callsig_pipeline_info info = {.size = sizeof info};
  struct callsig_pipeline *joined = NULL;
  int result = print->what == WHAT_ACTIONS
                   ? 0
                   : callsig_pipeline_join((const struct callsig_pipeline *const *)pipelines, count, &joined);
  if (result > 0) {
    callsig_pipeline_info(joined, &info);
    if (print->what != WHAT_JSON)
      printf("Processes that queues connect, as one:\n");
    result = print_pipeline(joined, print);
  }
  callsig_pipeline_free(joined);
  return result < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int keep(struct printed *printed, struct callsig_pipeline **pipelines, size_t count)
{
  struct callsig_pipeline **larger = reallocarray(printed->pipelines, printed->count + count, sizeof *larger);
  if (larger == NULL) {
    callsig_pipeline_free_all(pipelines, count);
    cli_error("stages: out of memory");
    return CLI_EXIT_FAILURE;
  }
  memcpy(larger + printed->count, pipelines, count * sizeof *larger);
  free(pipelines);
  printed->pipelines = larger;
  printed->count += count;
  return CLI_EXIT_OK;
}

/* Prints a recording, and keeps its pipelines; a database likewise, of which nothing is kept. */
static int print_file(const char *path, bool named, const struct print *print, struct printed *printed)
{
  struct callsig_pipeline **pipelines;
  size_t count;
  if (is_database(path)) {
    if (named)
      print_name(path);
    return print_database(path, print);
  }
  if (callsig_pipeline_load_all(path, &pipelines, &count) < 0)
    return CLI_EXIT_FAILURE;
  if (print->run) {
    cli_error("stages: %s: --run chooses of a database, and this is a recording", path);
    callsig_pipeline_free_all(pipelines, count);
    return CLI_EXIT_FAILURE;
  }
  for (size_t i = 0; i < count; i++)
    printed->processes += is_told(pipelines[i], print);
  int status = print_pipelines(pipelines, count, named, print);
  if (status == CLI_EXIT_OK)
    status = print_joined(pipelines, count, print);
  printed->files++;
  printed->damaged |= is_damaged(pipelines, count);
  if (status == CLI_EXIT_OK)
    return keep(printed, pipelines, count);
  callsig_pipeline_free_all(pipelines, count);
  return status;
}

/* Which rows the ranks of the recordings wait for each other most in. What is wrong with a recording was told when its
 * pipelines were read. */
static int print_balance(char **paths, size_t count)
{
  struct callsig_stats *stats = NULL;
  bool has_any = false;
  int error = callsig_stats_new(NULL, &stats);
  callsig_stats_set_message(cli_ignore_line, NULL);
  for (size_t i = 0; i < count && error == 0; i++)
    if (!is_database(paths[i]))
      has_any |= callsig_stats_add(stats, paths[i]) == 0;
  callsig_stats_set_message(cli_error_line, NULL);
  if (error == 0 && has_any)
    error = callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE | CALLSIG_BY_RANK);
  if (error == 0 && has_any)
    error = callsig_stats_print_balance(stats, stdout);
  callsig_stats_free(stats);
  return error;
}

/* Prints the recordings one after the other, and then what shows beside one another. Returns an exit status. */
static int print_files(char **paths, size_t count, const struct print *print)
{
  struct printed printed = {0};
  int status = CLI_EXIT_OK;
  bool named = count > 1 && print->what != WHAT_JSON;
  if (count == 1)
    cli_later_runs_tell("stages", paths[0]);
  for (size_t i = 0; i < count; i++) {
    if (print_file(paths[i], named, print, &printed) != CLI_EXIT_OK)
      status = CLI_EXIT_FAILURE;
  }
  /* A file with several processes has told of those itself. */
  if (printed.files > 1 && printed.files == printed.count &&
      print_joined(printed.pipelines, printed.count, print) != CLI_EXIT_OK)
    status = CLI_EXIT_FAILURE;
  if (print->what == WHAT_TEXT && printed.count > 1 &&
      callsig_pipeline_print_stragglers((const struct callsig_pipeline *const *)printed.pipelines, printed.count,
                                        stdout) < 0)
    status = CLI_EXIT_FAILURE;
  if (print->what == WHAT_TEXT && printed.processes != 1 && print_balance(paths, count) < 0)
    status = CLI_EXIT_FAILURE;
  callsig_pipeline_free_all(printed.pipelines, printed.count);
  return status == CLI_EXIT_OK && printed.damaged ? cli_finish_output(CLI_EXIT_FAILURE) : status;
}

/* Adds to the database what it lacks. Returns an exit status. */
static int complete(char **paths, size_t count, const char *database)
{
  int status = CLI_EXIT_OK;
  for (size_t i = 0; i < count; i++)
    if (callsig_monitor_complete(paths[i], database) < 0)
      status = CLI_EXIT_FAILURE;
  return status;
}

/* The format that a name ends in; NULL: none that there is. */
static const char *format_of(const char *path)
{
  const char *dot = strrchr(path, '.');
  if (dot != NULL && strcmp(dot, ".svg") == 0)
    return "svg";
  return dot != NULL && strcmp(dot, ".html") == 0 ? "html" : NULL;
}

/* Draws what the files have, all or nothing. Returns an exit status. */
static int draw(char **paths, size_t count, const struct stages_options *stages)
{
  struct callsig_plot *plot;
  int result = callsig_plot_new(&plot);
  for (size_t i = 0; i < count && result == 0; i++)
    result = is_database(paths[i]) ? callsig_plot_add_database_run(plot, paths[i], stages->run)
                                   : callsig_plot_add_recording(plot, paths[i]);
  if (result == 0)
    result = callsig_plot_write_file(plot, format_of(stages->plot), stages->plot);
  callsig_plot_free(plot);
  return result < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* Whether what was asked for goes together. False after a message. */
static bool check_options(const struct cli_command *command, const struct stages_options *stages)
{
  if (stages->run != 0 && stages->database != NULL)
    return cli_usage_error(command, "--run chooses what is shown of a database; --db adds to one"), false;
  if (stages->plot == NULL)
    return true;
  if (format_of(stages->plot) == NULL)
    cli_usage_error(command, "--plot: '%s' ends in neither .svg nor .html", stages->plot);
  else if (stages->database != NULL || stages->actions || strcmp(stages->format, "text") != 0)
    cli_usage_error(command, "--plot prints nothing: it goes with none of --actions, --db and --format");
  else
    return true;
  return false;
}

static int stages_main(const struct cli_command *command, int argc, char **argv)
{
  struct stages_options stages = {.format = "text"};
  char *standard = CLI_DEFAULT_RECORDING;
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &stages, &status) < 0)
    return status;
  struct print print;
  if (!choose_print(command, &stages, &print) || !check_options(command, &stages))
    return CLI_EXIT_USAGE;
  char **paths = optind < argc ? argv + optind : &standard;
  size_t count = optind < argc ? (size_t)(argc - optind) : 1;
  if (optind == argc && !cli_recordings_have_default(command))
    return CLI_EXIT_FAILURE;
  if (stages.plot != NULL)
    return draw(paths, count, &stages);
  status = stages.database != NULL ? complete(paths, count, stages.database) : print_files(paths, count, &print);
  return status == CLI_EXIT_OK ? cli_finish_output(status) : status;
}

const struct cli_command cli_command_stages = {
    .name = "stages",
    .summary = "print the stages of a pipeline, and which of them holds it back",
    .help = help,
    .letters = ":",
    .options = option_table,
    .main = stages_main,
};
