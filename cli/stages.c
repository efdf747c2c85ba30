/* callsig stages: the pipelines of recordings, and what holds them back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "command.h"

#define DEFAULT_RECORDING "callsig.out"

static const char help[] =
    "usage: callsig stages [OPTION...] [FILE...]\n"
    "\n"
    "Prints the stages and queues of the recordings FILE... (default callsig.out), one after the other, and for each\n"
    "pipeline which stage bounds it and why, and the functions and arguments that take most of that stage's time. The\n"
    "program may still be running. A database of 'callsig run --db' prints as the summary of all its intervals.\n"
    "\n"
    "  --actions          the table of named actions in place of that\n"
    "  --db FILE          print nothing, and add to the SQLite database FILE what it lacks of these runs\n"
    "  --format FORMAT    text (default) or json\n"
    "  --help, --version\n";

typedef int print_fn(const struct callsig_pipeline *pipeline, FILE *out);

struct stages_options {
  bool actions;
  const char *format;
  const char *database; /* NULL: print */
};

/* Reads the options. Returns 0 with optind at the arguments, or -1 with *status the exit status. */
static int read_options(const struct cs_command *command, int argc, char **argv, struct stages_options *stages,
                        int *status)
{
  enum { OPTION_ACTIONS = CS_OPTION_FIRST, OPTION_FORMAT, OPTION_DATABASE };
  static const struct option options[] = {
      {"actions", no_argument, NULL, OPTION_ACTIONS},
      {"format", required_argument, NULL, OPTION_FORMAT},
      {"db", required_argument, NULL, OPTION_DATABASE},
      CS_COMMON_OPTIONS,
      {NULL, 0, NULL, 0},
  };
  int option;
  while ((option = cs_next_option(command, argc, argv, ":", options, status)) != -1) {
    if (option == -2)
      return -1;
    if (option == OPTION_ACTIONS)
      stages->actions = true;
    else if (option == OPTION_DATABASE)
      stages->database = optarg;
    else
      stages->format = optarg;
  }
  return 0;
}

/* Chooses how to print. NULL after a message. */
static print_fn *choose_print(const struct cs_command *command, const struct stages_options *stages)
{
  bool json = strcmp(stages->format, "json") == 0;
  if (!json && strcmp(stages->format, "text") != 0)
    cs_usage_error(command, "--format: '%s' is neither text nor json", stages->format);
  else if (json && stages->actions)
    cs_usage_error(command, "--actions prints text; the actions are in the JSON without it");
  else if (json)
    return callsig_pipeline_print_json;
  else
    return stages->actions ? callsig_pipeline_print_actions : callsig_pipeline_print;
  return NULL;
}

/* Whether the file begins as SQLite's do. */
static bool is_database(const char *path)
{
  static const char magic[16] = "SQLite format 3";
  char begin[sizeof magic];
  FILE *file = fopen(path, "rbe");
  bool found = file != NULL && fread(begin, sizeof begin, 1, file) == 1 && memcmp(begin, magic, sizeof magic) == 0;
  if (file != NULL)
    fclose(file);
  return found;
}

static int print_database(const char *path, print_fn *print)
{
  if (print == callsig_pipeline_print)
    return callsig_monitor_print(path, stdout) < 0 ? CS_EXIT_FAILURE : CS_EXIT_OK;
  cs_error("stages: %s: a database prints as text, and has no actions; name the recording", path);
  return CS_EXIT_FAILURE;
}

/* Prints a recording, and keeps it as `*kept` until all are printed; a database likewise, which is not kept. */
static int print_file(const char *path, bool named, print_fn *print, struct callsig_pipeline **kept)
{
  if (is_database(path)) {
    if (named)
      printf("%s:\n", path);
    return print_database(path, print);
  }
  int error = callsig_pipeline_load(path, kept);
  if (error == 0 && named)
    printf("%s:\n", path);
  if (error == 0)
    error = print(*kept, stdout);
  return error < 0 ? CS_EXIT_FAILURE : CS_EXIT_OK;
}

/* Prints the recordings one after the other, and then what shows beside one another. Returns an exit status. */
static int print_files(char **paths, size_t count, print_fn *print)
{
  struct callsig_pipeline **pipelines = calloc(count, sizeof *pipelines);
  int status = CS_EXIT_OK;
  size_t kept = 0;
  if (pipelines == NULL) {
    cs_error("stages: out of memory");
    return CS_EXIT_FAILURE;
  }
  for (size_t i = 0; i < count; i++) {
    bool named = count > 1 && print != callsig_pipeline_print_json;
    if (print_file(paths[i], named, print, &pipelines[kept]) != CS_EXIT_OK)
      status = CS_EXIT_FAILURE;
    kept += pipelines[kept] != NULL;
  }
  if (print == callsig_pipeline_print && kept > 1 &&
      callsig_pipeline_print_stragglers((const struct callsig_pipeline *const *)pipelines, kept, stdout) < 0)
    status = CS_EXIT_FAILURE;
  for (size_t i = 0; i < kept; i++)
    callsig_pipeline_free(pipelines[i]);
  free(pipelines);
  return status;
}

/* Adds to the database what it lacks. Returns an exit status. */
static int complete(char **paths, size_t count, const char *database)
{
  int status = CS_EXIT_OK;
  for (size_t i = 0; i < count; i++)
    if (callsig_monitor_complete(paths[i], database) < 0)
      status = CS_EXIT_FAILURE;
  return status;
}

static int stages_main(const struct cs_command *command, int argc, char **argv)
{
  struct stages_options stages = {.format = "text"};
  char *standard = DEFAULT_RECORDING;
  int status = CS_EXIT_OK;
  if (read_options(command, argc, argv, &stages, &status) < 0)
    return status;
  print_fn *print = choose_print(command, &stages);
  if (print == NULL)
    return CS_EXIT_USAGE;
  char **paths = optind < argc ? argv + optind : &standard;
  size_t count = optind < argc ? (size_t)(argc - optind) : 1;
  status = stages.database != NULL ? complete(paths, count, stages.database) : print_files(paths, count, print);
  return status == CS_EXIT_OK ? cs_finish_output(status) : status;
}

const struct cs_command cs_command_stages = {
    .name = "stages",
    .summary = "print the stages of a pipeline, and which of them holds it back",
    .help = help,
    .main = stages_main,
};
