/* callsig serve: pprof's and Prometheus's endpoints for a recording, and the report as a page. */
#include <signal.h>
#include <stdio.h>

#include "callsig/stats.h"
#include "cli/commands/commands.h"
#include "cli/common/process_recording.h"
#include "cli/serve/server.h"

enum { DEFAULT_FUNCTIONS = 50, MOST_FUNCTIONS = 10000 };

static const char help[] =
    "usage: callsig serve [OPTION...] [PID|FILE]\n"
    "\n"
    "Answers HTTP requests with what a program does: for Prometheus, for pprof and continuous profilers, and as a "
    "page. "
    "PID\n"
    "is a process that records, FILE a recording (default callsig.out). The program is not touched: its recording is "
    "read.\n"
    "The server runs until it is told to end (ctrl-C).\n"
    "\n"
    "  /metrics                       stages, queues, functions: Prometheus's text format\n"
    "  /debug/pprof/profile?seconds=N calls and time in the next N seconds (30): go tool pprof URL\n"
    "  /debug/pprof/callsig           the same since the start\n"
    "  /                              the report as a page; /debug/pprof/ is an index, /healthz says ok\n"
    "\n"
    "  --listen ADDRESS    HOST:PORT, PORT (of 127.0.0.1), or unix:/path (default " CLI_SERVE_DEFAULT_ADDRESS ")\n"
    "  --token-file FILE   ask for the token in FILE: the header 'Authorization: Bearer TOKEN'. An address that "
    "others\n"
    "                      can reach takes one\n"
    "  --functions N       of /metrics: the N functions with the most time get rows of their own (default 50), at\n"
    "                      most 4 N ever do; all others are in one row\n"
    "  --help, --version\n";

enum { OPTION_LISTEN = CLI_OPTION_NEXT, OPTION_TOKEN_FILE, OPTION_FUNCTIONS };

static const struct option option_table[] = {
    {"listen", required_argument, NULL, OPTION_LISTEN},
    {"token-file", required_argument, NULL, OPTION_TOKEN_FILE},
    {"functions", required_argument, NULL, OPTION_FUNCTIONS},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* A handler gets no argument of ours. */
static volatile sig_atomic_t is_told_to_end;

static void end(int signal)
{
  (void)signal;
  is_told_to_end = 1;
}

static void take_signals(void)
{
  static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = end};
  for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
    sigaction(ending[i], &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
}

/* What cannot be read now, or is no recording, is refused before anybody is told that it is served. */
static int read_once(const char *recording)
{
  struct callsig_stats *stats = NULL;
  const int error = callsig_stats_load(recording, &stats);
  callsig_stats_free(stats);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int serve(const char *recording, const char *address, const char *token_file, unsigned functions)
{
  struct cli_token token = {{0}};
  struct cli_listener listener;
  int status = token_file ? cli_token_read(token_file, &token) : CLI_EXIT_OK;
  if (status == CLI_EXIT_OK)
    status = cli_listener_open("--listen", address, token_file != NULL, &listener);
  if (status != CLI_EXIT_OK)
    return status;
  if ((status = read_once(recording)) != CLI_EXIT_OK) {
    cli_listener_remove(&listener);
    return status;
  }
  take_signals();
  cli_error("serving %s at %s", recording, listener.url);
  const struct cli_server_options options = {
      .recording = recording, .listener = &listener, .token = &token, .functions = functions, .stop = &is_told_to_end};
  status = cli_server_run(&options);
  cli_listener_remove(&listener);
  return status;
}

static int serve_main(const struct cli_command *command, int argc, char **argv)
{
  const char *address = CLI_SERVE_DEFAULT_ADDRESS, *token_file = NULL;
  unsigned functions = DEFAULT_FUNCTIONS;
  char recording[PATH_MAX];
  int option, status = CLI_EXIT_OK;
  while (status == CLI_EXIT_OK && (option = cli_next_option(command, argc, argv, &status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return status;
    if (option == OPTION_LISTEN)
      address = optarg;
    else if (option == OPTION_TOKEN_FILE)
      token_file = optarg;
    else
      status = cli_read_count(command, "--functions", optarg, &functions);
  }
  if (status == CLI_EXIT_OK && functions > MOST_FUNCTIONS)
    status = cli_usage_error(command, "--functions: at most %d have rows", MOST_FUNCTIONS);
  if (status == CLI_EXIT_OK && argc - optind > 1)
    status = cli_usage_error(command, "one process or recording at a time, not %d", argc - optind);
  if (status == CLI_EXIT_OK && !cli_server_is_there("serve"))
    status = CLI_EXIT_FAILURE;
  if (status == CLI_EXIT_OK)
    status = cli_recording_find("serve", argc > optind ? argv[optind] : NULL, recording);
  return status == CLI_EXIT_OK ? serve(recording, address, token_file, functions) : status;
}

const struct cli_command cli_command_serve = {
    .name = "serve",
    .summary = "answer pprof, Prometheus and browsers with what a program does",
    .help = help,
    .letters = ":",
    .options = option_table,
    .main = serve_main,
};
