/* callsig ctl: steers a program that records, from outside. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/printable.h"
#include "base/vector.h"
#include "callsig/stats.h"
#include "cli/attach/attach.h"
#include "cli/commands/commands.h"
#include "cli/common/recordings.h"
#include "cli/common/seconds.h"
#include "cli/run/ask.h"
#include "cli/run/recording_place.h"
#include "output/recording/lost_calls.h"
#include "output/recording/recording.h"

#define DEFAULT_WAIT "2s"

static const char help[] =
    "usage: callsig ctl [--wait TIME] PID|FILE WORD [OUT]\n"
    "\n"
    "Steers a program that is being profiled, while it runs. It is named by its number, or by its recording FILE. The "
    "program\n"
    "is not stopped and gets no signal: it takes what is asked when it next calls an instrumented function.\n"
    "\n"
    "  on            record from now on\n"
    "  off           record no more; calls that are open end now\n"
    "  reset         count from zero from now on; calls that are open take time from then on, and are no calls\n"
    "  status        print whether it records, since when, and how much there is\n"
    "  snapshot OUT  write what was recorded so far as a recording of its own, which every other command reads\n"
    "  timeline OUT  write what the timeline holds now as a trace, JSON, for https://ui.perfetto.dev\n"
    "\n"
    "  --wait TIME   how long on, off and reset wait for the program to take them, as in 500ms (default " DEFAULT_WAIT
    ")\n"
    "  --help, --version\n";

/* ------------------------------------------------------------------------------------------------------------------ */

enum word { ON, OFF, RESET, STATUS, SNAPSHOT, TIMELINE, WORDS };

static const struct {
  const char *word;
  bool takes_output;
  enum fmt_request asks;
} words[WORDS] = {
    [ON] = {"on", false, FMT_REQUEST_ON},
    [OFF] = {"off", false, FMT_REQUEST_OFF},
    [RESET] = {"reset", false, FMT_REQUEST_RESET},
    [STATUS] = {"status", false, FMT_REQUEST_NONE},
    [SNAPSHOT] = {"snapshot", true, FMT_REQUEST_NONE},
    [TIMELINE] = {"timeline", true, FMT_REQUEST_NONE},
};

/* The word of a request, "notice" where there is none. */
static const char *word_of(uint64_t request)
{
  for (int word = 0; word < WORDS; word++)
    if (words[word].asks != FMT_REQUEST_NONE && (uint64_t)words[word].asks == (request & FMT_REQUEST_KIND))
      return words[word].word;
  return "notice";
}

static int ask(const char *name, const struct cli_target *target, enum fmt_request kind, const char *word,
               uint64_t wait_ns)
{
  if (cli_attach_has_left((pid_t)target->header->pid, target->header->is_off != 0, target->fd)) {
    cli_error("ctl: %s: 'callsig attach' has left the program, whose sleds are out since: attach to it again", name);
    return CLI_EXIT_FAILURE;
  }
  int error = cli_target_ask(target, kind, wait_ns);
  if (error == -ETIMEDOUT)
    cli_error("ctl: %s: '%s' waits there: it is taken when the program next calls an instrumented function", name,
              word);
  else if (error == -ESRCH)
    cli_error("ctl: %s: the program ended before it took '%s'", name, word);
  else if (error == -ENODATA)
    cli_error("ctl: %s: the recording was cut off, so that its program cannot take '%s': run it again", name, word);
  else if (error == -EAGAIN)
    cli_error("ctl: %s: another command waits for the program: nothing was asked", name);
  else if (error == -EPERM)
    cli_error("ctl: %s: the calls of its hooks are out, since it did not record, and the system forbids to change its "
              "code back: nothing was asked",
              name);
  else if (error == -EBUSY)
    cli_error("ctl: %s: the program has a schedule of its own, by which it is recorded (callsig_schedule())", name);
  else if (error < 0)
    cli_error("ctl: %s: the program refused '%s': %s", name, word, strerror(-error));
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ */

struct threads {
  uint64_t running, ended;
};

static int count_threads(const struct cli_target *target, struct threads *threads)
{
  struct out_recording recording;
  int error = out_recording_attach(target->fd, target->path, &recording);
  if (error < 0)
    return error;
  struct base_vector known = BASE_VECTOR_OF(uint64_t);
  struct fmt_rec_thread thread;
  *threads = (struct threads){0};
  uint64_t next = recording.header.first_thread;
  while ((error = out_recording_next(&recording, &known, next, FMT_TAG_THREAD, &thread, sizeof thread)) > 0) {
    if (thread.state == FMT_THREAD_LIVE)
      threads->running++;
    else
      threads->ended += thread.threads;
    next = thread.next;
  }
  if (error == 0)
    error = out_recording_failed(&recording);
  base_vector_free(&known);
  out_recording_close(&recording);
  if (error == -ENOMEM)
    cli_error("ctl: out of memory");
  return error;
}

static void print_since(uint64_t realtime_ns)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const time_t since = (time_t)(realtime_ns / 1000000000u);
  struct tm parts;
  char text[32] = "?";
  if (localtime_r(&since, &parts) != NULL)
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  const double passed = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - (double)realtime_ns * 1e-9;
  printf("since %s (%.1f s)", text, passed);
}

static int print_status(const struct cli_target *target)
{
  /* A copy: the program goes on. */
  const struct fmt_rec_header header = *target->header;
  struct callsig_stats *stats = NULL;
  struct callsig_stats_total total = {.size = sizeof total};
  struct threads threads = {0};
  struct stat status = {0};
  int error = callsig_stats_load(target->path, &stats);
  if (error == 0)
    error = callsig_stats_total(stats, &total);
  if (error == 0)
    error = count_threads(target, &threads);
  callsig_stats_free(stats);
  if (error < 0)
    return CLI_EXIT_FAILURE;
  fstat(target->fd, &status);
  printf("process    %" PRIu32 "\n", header.pid);
  printf("recording  %s ", header.is_off ? "off" : "on");
  print_since(header.switched_ns != 0 ? header.switched_ns : header.start_realtime_ns);
  if (header.period != 0) {
    printf("\ncounted    ");
    print_since(header.period_realtime_ns);
  }
  printf("\ncalls      %" PRIu64 "\n", total.calls);
  printf("threads    %" PRIu64 " running, %" PRIu64 " ended\n", threads.running, threads.ended);
  base_print(stdout, "file       %" PRIu64 " bytes, %" PRIu64 " in use, %s\n", (uint64_t)status.st_size, header.next,
             target->path);
  printf("lost       %" PRIu64 " calls\n", out_lost_calls(header.loss));
  if (header.request != header.taken)
    printf("asked      '%s', not taken yet\n", word_of(header.request));
  return cli_finish_output(CLI_EXIT_OK);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Loads the recording as it is now, with its timeline. */
static int load_now(const struct cli_target *target, struct callsig_stats **stats)
{
  int error = callsig_stats_new(
      &(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options), .now = 1, .timeline = 1}, stats);
  return error == 0 ? callsig_stats_add(*stats, target->path) : error;
}

static int write_snapshot(const struct cli_target *target, const char *output)
{
  struct callsig_stats *stats = NULL;
  int error = load_now(target, &stats);
  if (error == 0)
    error = callsig_stats_dump(stats, output);
  int status = error < 0 ? CLI_EXIT_FAILURE : cli_recordings_status(stats);
  callsig_stats_free(stats);
  return status;
}

static int write_timeline(const char *name, const struct cli_target *target, const char *output)
{
  if (target->header->timeline_min == UINT64_MAX) {
    cli_error("ctl: %s: no timeline is kept: start the program with 'callsig run --timeline'", name);
    return CLI_EXIT_FAILURE;
  }
  const struct callsig_stats_export wanted = {.size = sizeof wanted, .format = "chrome"};
  struct callsig_stats *stats = NULL;
  int error = load_now(target, &stats);
  if (error == 0)
    error = callsig_stats_export_file(stats, &wanted, output);
  int status = error < 0 ? CLI_EXIT_FAILURE : cli_recordings_status(stats);
  callsig_stats_free(stats);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* What is written takes the place of what was there: the program would go on in a file that has no name. */
static bool is_recording_itself(const struct cli_target *target, const char *output)
{
  struct stat recording, there;
  return fstat(target->fd, &recording) == 0 && stat(output, &there) == 0 && recording.st_dev == there.st_dev &&
         recording.st_ino == there.st_ino;
}

static int steer(char **arguments, enum word word, uint64_t wait_ns)
{
  struct cli_target target;
  const char *name = arguments[0];
  if (cli_target_open(name, &target) < 0)
    return CLI_EXIT_FAILURE;
  int status = CLI_EXIT_FAILURE;
  if (words[word].takes_output && is_recording_itself(&target, arguments[2]))
    cli_error("ctl: %s is the recording that the program writes: name another file", arguments[2]);
  else if (words[word].takes_output && cli_recording_is_held(arguments[2]))
    cli_error("ctl: %s is a recording that a program still writes: name another file", arguments[2]);
  else if (word == STATUS)
    status = print_status(&target);
  else if (word == SNAPSHOT)
    status = write_snapshot(&target, arguments[2]);
  else if (word == TIMELINE)
    status = write_timeline(name, &target, arguments[2]);
  else
    status = ask(name, &target, words[word].asks, words[word].word, wait_ns);
  cli_target_close(&target);
  return status;
}

enum { OPTION_WAIT = CLI_OPTION_NEXT };

static const struct option option_table[] = {
    {"wait", required_argument, NULL, OPTION_WAIT},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

static int ctl_main(const struct cli_command *command, int argc, char **argv)
{
  const char *wait = DEFAULT_WAIT;
  uint64_t wait_ns;
  int option, status = CLI_EXIT_OK;
  while ((option = cli_next_option(command, argc, argv, &status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return status;
    wait = optarg;
  }
  if (!cli_seconds_read(wait, &wait_ns))
    return cli_usage_error(command, "--wait: '%s' is no time: give one as in 500ms, 2s or 2", wait);
  const int count = argc - optind;
  char **arguments = argv + optind;
  if (count == 0)
    return cli_usage_error(command, "name the program, by its number or its recording");
  if (count == 1)
    return cli_usage_error(command, "say what to do with %s: on, off, reset, status, snapshot OUT or timeline OUT",
                           arguments[0]);
  enum word word = ON;
  while (word < WORDS && strcmp(words[word].word, arguments[1]) != 0)
    word++;
  if (word == WORDS)
    return cli_usage_error(command, "'%s' is none of on, off, reset, status, snapshot OUT and timeline OUT",
                           arguments[1]);
  if (words[word].takes_output && count == 2)
    return cli_usage_error(command, "where to write is not said: %s OUT", words[word].word);
  const int taken = words[word].takes_output ? 3 : 2;
  if (count > taken)
    return cli_usage_error(command, "'%s' is too much", arguments[taken]);
  return steer(arguments, word, wait_ns);
}

const struct cli_command cli_command_ctl = {
    .name = "ctl",
    .summary = "steer a program that is being profiled",
    .help = help,
    .letters = ":",
    .options = option_table,
    .main = ctl_main,
};
