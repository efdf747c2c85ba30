/* callsig attach: profiles a program that runs already, for a while. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/attach/attach.h"
#include "cli/commands/commands.h"
#include "cli/common/ignored_signals.h"
#include "cli/common/recordings.h"
#include "cli/common/row_options.h"
#include "cli/common/seconds.h"
#include "cli/run/child_files.h"
#include "cli/run/recording_place.h"
#include "cli/run/run_end.h"
#include "format/recording.h"

static const char help[] =
    "usage: callsig attach [OPTION...] PID\n"
    "\n"
    "Profiles a program that was compiled with callsig-cc and started without callsig, while it runs: until it ends, "
    "until\n"
    "Ctrl-C, or for some time. Then it runs on as before. The table goes to stderr, and the recording stays in\n"
    "callsig.out. A program that is attached to again goes on in the recording that it began (docs/attach.md).\n"
    "\n"
    "  --for TIME        detach after TIME, as in 10s, 500ms or 10 (seconds)\n"
    "  -o FILE           leave the recording in FILE, and print no table\n"
    "  -s KEY            sort the table by KEY: cumtime (default), tottime, ncalls, name, ... (see 'callsig report')\n"
    "  --help, --version\n";

struct attach_options {
  const char *output; /* NULL: CLI_DEFAULT_RECORDING, and print the table */
  const char *sort;
  uint64_t for_ns; /* 0: until it ends, or a signal */
};

enum { OPTION_FOR = CLI_OPTION_NEXT };

static const struct option option_table[] = {
    {"for", required_argument, NULL, OPTION_FOR},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* Reads the options. Returns CLI_EXIT_OK with optind at the process, or -1 with *status the exit status. */
static int read_options(const struct cli_command *command, int argc, char **argv, struct attach_options *options,
                        int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return -1;
    if (option == 'o')
      options->output = optarg;
    else if (option == 's')
      options->sort = optarg;
    else if (!cli_seconds_read(optarg, &options->for_ns) || options->for_ns == 0) {
      *status = cli_usage_error(command, "--for: '%s' is no time: give one as in 500ms, 10s or 10", optarg);
      return -1;
    }
  }
  return CLI_EXIT_OK;
}

/* The one process that is named; 0: none is, after a usage message. */
static pid_t read_process(const struct cli_command *command, int argc, char **argv)
{
  if (optind >= argc) {
    cli_usage_error(command, "no process given");
    return 0;
  }
  if (optind + 1 < argc) {
    cli_usage_error(command, "'%s': one process is attached to at a time", argv[optind + 1]);
    return 0;
  }
  char *end;
  errno = 0;
  long pid = strtol(argv[optind], &end, 10);
  if (end == argv[optind] || *end != '\0' || errno != 0 || pid <= 0 || pid > INT_MAX) {
    cli_usage_error(command, "'%s' is not the number of a process", argv[optind]);
    return 0;
  }
  return (pid_t)pid;
}

static volatile sig_atomic_t was_interrupted;

static void interrupt(int signal)
{
  (void)signal;
  was_interrupted = 1;
}

/* From here on these signals end the wait, and nothing else: a process is never left while it is being changed, nor
 * where nobody reads any more what is told here. */
static void catch_signals(sigset_t *before)
{
  static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction action = {.sa_handler = interrupt};
  sigset_t blocked;
  sigemptyset(&action.sa_mask);
  sigemptyset(&blocked);
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
    sigaddset(&blocked, caught[i]);
    sigaction(caught[i], &action, NULL);
  }
  sigprocmask(SIG_BLOCK, &blocked, before);
  cli_signal_ignore(SIGPIPE);
}

/* Waits for the time, a signal, or the process's end. */
static void wait_for_end(const struct cli_attached *attached, uint64_t ns, const sigset_t *mask)
{
  struct pollfd process = {.fd = attached->process, .events = POLLIN};
  const struct timespec time = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
  if (was_interrupted)
    return;
  /* Nothing else of this process ends the wait. */
  (void)ppoll(&process, 1, ns > 0 ? &time : NULL, mask);
}

static int print_table(const char *path, const char *sort)
{
  struct callsig_stats *stats = NULL;
  struct callsig_stats_total total = {.size = sizeof total};
  if (callsig_stats_load(path, &stats) < 0)
    return CLI_EXIT_FAILURE;
  int error = callsig_stats_total(stats, &total);
  if (error == 0 && total.calls == 0)
    cli_error("nothing was recorded: no function with sleds was called meanwhile");
  else if (error == 0 && (error = callsig_stats_sort(stats, sort)) == 0)
    error = callsig_stats_print(stats, stderr, NULL, 0);
  callsig_stats_free(stats);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* What cli_child_files_each() is told of the recordings of forked children. */
struct children {
  uint64_t run;
  struct cli_family_end end;
};

static int count_child(const struct cli_child_file *file, void *data)
{
  struct children *children = data;
  if (file->header->run == children->run)
    *(file->has_ended ? &children->end.apart : &children->end.live) += 1;
  return 0;
}

/* Says that there are recordings of processes that were forked while this one recorded: they are not in its own. */
static void tell_children(const char *path)
{
  struct fmt_rec_header header;
  struct children children = {0};
  const int file = cli_recording_open(AT_FDCWD, path, &header);
  if (file < 0)
    return;
  close(file);
  children.run = header.run;
  if (cli_child_files_each(path, count_child, &children) == 0)
    cli_run_end_tell(&children.end, path);
}

static int profile(pid_t pid, const struct attach_options *options)
{
  struct cli_attached attached;
  sigset_t before;
  catch_signals(&before);
  if (cli_attach(pid, options->output, &attached) < 0)
    return CLI_EXIT_FAILURE;
  cli_error("process %d records in %s%s", (int)pid, attached.path,
            attached.again ? ", going on with what it recorded when it was attached to before" : "");
  wait_for_end(&attached, options->for_ns, &before);
  if (cli_detach(&attached) < 0) {
    cli_error("process %d still records in %s: attach to it again, and detach", (int)pid, attached.path);
    return CLI_EXIT_FAILURE;
  }
  tell_children(attached.path);
  return options->output != NULL ? CLI_EXIT_OK : print_table(attached.path, options->sort);
}

static int attach_main(const struct cli_command *command, int argc, char **argv)
{
  struct attach_options options = {0};
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &options, &status) != CLI_EXIT_OK)
    return status;
  pid_t pid = read_process(command, argc, argv);
  if (pid == 0)
    return CLI_EXIT_USAGE;
  if (options.sort != NULL && options.output != NULL)
    return cli_usage_error(command, "-s sorts the table, and with -o none is printed: give it to 'callsig report %s'",
                           options.output);
  if (options.sort != NULL && (status = cli_sort_check(options.sort)) != CLI_EXIT_OK)
    return status;
  return profile(pid, &options);
}

const struct cli_command cli_command_attach = {
    .name = "attach",
    .summary = "profile a program that runs already",
    .help = help,
    .letters = ":o:s:",
    .options = option_table,
    .main = attach_main,
};
