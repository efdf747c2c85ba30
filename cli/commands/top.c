/* callsig top: the recording of a running program, again each second. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/top/screen.h"

#define SHORTEST_INTERVAL 0.1
#define LONGEST_INTERVAL  3600.0

static const char help[] =
    "usage: callsig top [OPTION...] [PID|FILE]\n"
    "\n"
    "Shows what a running program does, each second: its functions with their arguments by self time and calls a "
    "second,\n"
    "their share since the last look and since the start, its queues, and what bounds its pipelines. PID is a process "
    "that\n"
    "records, FILE a recording (default callsig.out). The program is not touched: its recording is read. '?' on the "
    "screen\n"
    "lists the keys.\n"
    "\n"
    "  -s KEY              sort by: self (default) or calls, a second; total-self, total-calls, or name\n"
    "  --by GROUP          rows are by signature (default), function, stage, thread or module\n"
    "  --filter TEXT       only rows whose names contain TEXT, without regard to case\n"
    "  --interval S        look each S seconds (default 1)\n"
    "  --batch N           no terminal: print N tables, one an interval, and end\n"
    "  --top N             with --batch, only the first N rows\n"
    "  --help, --version\n";

struct top_options {
  double interval;
  unsigned batch, top; /* 0: not given */
};

enum { OPTION_BY = CLI_OPTION_NEXT, OPTION_FILTER, OPTION_INTERVAL, OPTION_BATCH, OPTION_TOP };

static const struct option option_table[] = {
    {"by", required_argument, NULL, OPTION_BY},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"interval", required_argument, NULL, OPTION_INTERVAL},
    {"batch", required_argument, NULL, OPTION_BATCH},
    {"top", required_argument, NULL, OPTION_TOP},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

static int read_interval(const struct cli_command *command, const char *text, double *interval)
{
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= SHORTEST_INTERVAL && value <= LONGEST_INTERVAL))
    return cli_usage_error(command, "--interval: '%s' is not a number of seconds from 0.1 to 3600", text);
  *interval = value;
  return CLI_EXIT_OK;
}

static int set_filter(const char *text, struct cli_top_session *session)
{
  free(session->model.filter);
  session->model.filter = strdup(text);
  if (session->model.filter)
    return CLI_EXIT_OK;
  cli_error("top: memory is short");
  return CLI_EXIT_FAILURE;
}

static int read_option(const struct cli_command *command, int option, struct top_options *options,
                       struct cli_top_session *session, unsigned *by)
{
  switch (option) {
  case 's':
    if (cli_top_key_find(optarg, &session->model.key))
      return CLI_EXIT_OK;
    return cli_usage_error(command, "-s: '%s' is none of self, calls, total-self, total-calls, name", optarg);
  case OPTION_BY:
    if (cli_top_group_find(optarg, by))
      return CLI_EXIT_OK;
    return cli_usage_error(command, "--by: '%s' is none of signature, function, stage, thread, module", optarg);
  case OPTION_FILTER:
    return set_filter(optarg, session);
  case OPTION_INTERVAL:
    return read_interval(command, optarg, &options->interval);
  case OPTION_BATCH:
    return cli_read_count(command, "--batch", optarg, &options->batch);
  default:
    return cli_read_count(command, "--top", optarg, &options->top);
  }
}

/* The rows that are printed are what follows the heading: the first lines are no rows. */
static int print_table(struct cli_top_session *session, unsigned top)
{
  struct base_vector lines = BASE_VECTOR_OF(struct cli_top_line);
  bool made = cli_top_session_lines(session, 0, 0, &lines), in_rows = false;
  unsigned rows = 0;
  for (uint32_t i = 0; i < lines.count && made; i++) {
    const struct cli_top_line *line = base_vector_at(&lines, i);
    rows += in_rows;
    if (top == 0 || rows <= top)
      puts(line->text);
    in_rows |= line->look == CLI_TOP_HEADING;
  }
  cli_top_lines_free(&lines);
  if (!made) {
    cli_error("top: memory is short");
    return CLI_EXIT_FAILURE;
  }
  putchar('\n');
  return cli_finish_output(CLI_EXIT_OK);
}

static void wait_for(double seconds)
{
  struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

/* Rates are of two looks: the first table comes after an interval, too. */
static int print_batch(struct cli_top_session *session, const struct top_options *options)
{
  int status = CLI_EXIT_OK;
  for (unsigned i = 0; i < options->batch && status == CLI_EXIT_OK; i++) {
    if (!session->source.ended)
      wait_for(options->interval);
    const bool was_ended = session->source.ended;
    status = cli_top_session_look(session) ? print_table(session, options->top) : CLI_EXIT_FAILURE;
    if (was_ended)
      break;
  }
  return status;
}

static int show(const struct cli_command *command, struct cli_top_session *session, const struct top_options *options)
{
  if (options->top > 0 && options->batch == 0)
    return cli_usage_error(command, "--top is of --batch; a terminal shows as many rows as it has lines");
  if (options->batch == 0 && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
    cli_error("top: this is no terminal: --batch N prints N tables");
    return CLI_EXIT_FAILURE;
  }
  if (!cli_top_session_look(session))
    return CLI_EXIT_FAILURE;
  return options->batch > 0 ? print_batch(session, options) : cli_top_screen(session, options->interval);
}

static int top_main(const struct cli_command *command, int argc, char **argv)
{
  struct top_options options = {.interval = 1};
  struct cli_top_session session;
  unsigned by = CALLSIG_BY_SIGNATURE;
  int option, status = CLI_EXIT_OK;
  cli_top_session_init(&session);
  while (status == CLI_EXIT_OK && (option = cli_next_option(command, argc, argv, &status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED) {
      cli_top_session_free(&session);
      return status;
    }
    status = read_option(command, option, &options, &session, &by);
  }
  if (status == CLI_EXIT_OK && argc - optind > 1)
    status = cli_usage_error(command, "one process or recording at a time, not %d", argc - optind);
  if (status == CLI_EXIT_OK)
    status = cli_top_source_open(&session.source, argc > optind ? argv[optind] : NULL);
  session.source.by = by;
  if (status == CLI_EXIT_OK)
    status = show(command, &session, &options);
  cli_top_session_free(&session);
  return status;
}

const struct cli_command cli_command_top = {
    .name = "top",
    .summary = "watch a running program, second by second",
    .help = help,
    .letters = ":s:",
    .options = option_table,
    .main = top_main,
};
