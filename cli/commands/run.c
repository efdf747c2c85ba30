/* callsig run: profiles a program from its start to its end. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/beside/beside.h"
#include "cli/beside/own_run.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_help.h"
#include "cli/common/ignored_signals.h"
#include "cli/common/install_paths.h"
#include "cli/common/recordings.h"
#include "cli/common/row_options.h"
#include "cli/run/bounds.h"
#include "cli/run/child_files.h"
#include "cli/run/family.h"
#include "cli/run/glob_file.h"
#include "cli/run/library_calls.h"
#include "cli/run/mpi_job.h"
#include "cli/run/preload.h"
#include "cli/run/prepare_indexes.h"
#include "cli/run/recording_files.h"
#include "cli/run/run_end.h"
#include "cli/run/supervise.h"
#include "cli/run/timing.h"
#include "cli/run/trigger_watch.h"
#include "cli/run/window.h"
#include "cli/serve/side_server.h"
#include "config.h"
#include "format/duration.h"
#include "format/rank.h"

extern char **environ;

#define CLI_NUMBERED_RECORDING "callsig-%u.out"
#define MOST_RECORDINGS        1000u
#define DEFAULT_INTERVAL       1.0 /* of --interval, seconds */

struct run_options {
  const char *output; /* NULL: CLI_DEFAULT_RECORDING, and print the table */
  /* The recording: `output` or CLI_DEFAULT_RECORDING, with the rank behind it in a parallel job. */
  char named[PATH_MAX];
  struct fmt_rank rank;
  struct cli_run_table table;
  const char *rules, *clock, *times, *overhead;
  const char *timeline;    /* the least duration; NULL: none */
  char *include, *exclude; /* globs separated by newlines; owned */
  struct cli_library_calls library_calls;
  const char *database; /* NULL: none */
  double interval;      /* seconds; 0: not given */
  struct cli_triggers triggers;
  struct cli_window window;
  struct cli_side_server server;
  const char *after, *record_for; /* NULL: not given */
  bool no_signatures;
  bool apart;
  bool percentiles;
  bool call_sites;
  bool beside;
  const char *plain; /* of --beside; NULL: the program itself */
  bool is_mpi;
  struct cli_mpi_job mpi; /* with is_mpi */
};

enum {
  OPTION_NO_SIGNATURES = CLI_ROW_OPTION_NEXT,
  OPTION_APART,
  OPTION_RULES,
  OPTION_INCLUDE,
  OPTION_EXCLUDE,
  OPTION_EXCLUDE_FILE,
  OPTION_LIBRARY_CALLS,
  OPTION_ALLOC,
  OPTION_CLOCK,
  OPTION_TIMES,
  OPTION_OVERHEAD,
  OPTION_TIMELINE,
  OPTION_PERCENTILES,
  OPTION_SITES,
  OPTION_BESIDE,
  OPTION_DATABASE,
  OPTION_INTERVAL,
  OPTION_TRIGGER,
  OPTION_TRIGGER_LIMIT,
  OPTION_OFF,
  OPTION_AFTER,
  OPTION_FOR,
  OPTION_SERVE,
  OPTION_TOKEN_FILE,
  OPTION_MPI,
};

static const struct option option_table[] = {
    {"no-signatures", no_argument, NULL, OPTION_NO_SIGNATURES},
    {"apart", no_argument, NULL, OPTION_APART},
    {"rules", required_argument, NULL, OPTION_RULES},
    {"include", required_argument, NULL, OPTION_INCLUDE},
    {"exclude", required_argument, NULL, OPTION_EXCLUDE},
    {"exclude-file", required_argument, NULL, OPTION_EXCLUDE_FILE},
    {"library-calls", optional_argument, NULL, OPTION_LIBRARY_CALLS},
    {"alloc", no_argument, NULL, OPTION_ALLOC},
    {"clock", required_argument, NULL, OPTION_CLOCK},
    {"times", required_argument, NULL, OPTION_TIMES},
    {"overhead", required_argument, NULL, OPTION_OVERHEAD},
    {"timeline", optional_argument, NULL, OPTION_TIMELINE},
    {"percentiles", no_argument, NULL, OPTION_PERCENTILES},
    {"sites", no_argument, NULL, OPTION_SITES},
    {"beside", optional_argument, NULL, OPTION_BESIDE},
    {"db", required_argument, NULL, OPTION_DATABASE},
    {"interval", required_argument, NULL, OPTION_INTERVAL},
    {"trigger", required_argument, NULL, OPTION_TRIGGER},
    {"trigger-limit", required_argument, NULL, OPTION_TRIGGER_LIMIT},
    {"off", no_argument, NULL, OPTION_OFF},
    {"after", required_argument, NULL, OPTION_AFTER},
    {"for", required_argument, NULL, OPTION_FOR},
    {"serve", required_argument, NULL, OPTION_SERVE},
    {"token-file", required_argument, NULL, OPTION_TOKEN_FILE},
    {"mpi", no_argument, NULL, OPTION_MPI},
    {"below", required_argument, NULL, CLI_ROW_OPTION_BELOW},
    {"depth", required_argument, NULL, CLI_ROW_OPTION_DEPTH},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* Reads the options. Returns CLI_EXIT_OK with optind at the program, or -1 with *status the exit status. */
static int read_options(const struct cli_command *command, int argc, char **argv, struct run_options *run, int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return -1;
    int error = 0;
    if (option == 'o')
      run->output = optarg;
    else if (option == 's')
      run->table.sort = optarg;
    else if (option == CLI_ROW_OPTION_BELOW || option == CLI_ROW_OPTION_DEPTH)
      *status = cli_row_options_take(command, option, optarg, &run->table.rows);
    else if (option == OPTION_NO_SIGNATURES)
      run->no_signatures = true;
    else if (option == OPTION_APART)
      run->apart = true;
    else if (option == OPTION_RULES)
      run->rules = optarg;
    else if (option == OPTION_CLOCK)
      run->clock = optarg;
    else if (option == OPTION_TIMES)
      run->times = optarg;
    else if (option == OPTION_OVERHEAD)
      run->overhead = optarg;
    else if (option == OPTION_PERCENTILES)
      run->percentiles = true;
    else if (option == OPTION_SITES)
      run->call_sites = true;
    else if (option == OPTION_MPI)
      run->is_mpi = true;
    else if (option == OPTION_BESIDE) {
      run->beside = true;
      run->plain = optarg;
    } else if (option == OPTION_TIMELINE)
      run->timeline = optarg != NULL ? optarg : FMT_TIMELINE_DEFAULT;
    else if (option == OPTION_INCLUDE)
      error = cli_glob_add(&run->include, optarg);
    else if (option == OPTION_EXCLUDE)
      error = cli_glob_add(&run->exclude, optarg);
    else if (option == OPTION_EXCLUDE_FILE)
      error = cli_glob_file_read(optarg, &run->exclude);
    else if (option == OPTION_TRIGGER)
      *status = cli_triggers_add(command, &run->triggers, optarg);
    else if (option == OPTION_TRIGGER_LIMIT)
      *status = cli_triggers_limit(command, &run->triggers, optarg);
    else if (option == OPTION_LIBRARY_CALLS || option == OPTION_ALLOC)
      error = cli_library_calls_add(&run->library_calls, option == OPTION_ALLOC, optarg);
    else if (option == OPTION_OFF)
      run->window.off = true;
    else if (option == OPTION_AFTER)
      run->after = optarg;
    else if (option == OPTION_FOR)
      run->record_for = optarg;
    else if (option == OPTION_SERVE)
      run->server.address = optarg;
    else if (option == OPTION_TOKEN_FILE)
      run->server.token_file = optarg;
    else if (option == OPTION_DATABASE)
      run->database = optarg;
    else if ((run->interval = cli_interval_read(command, optarg)) == 0)
      *status = CLI_EXIT_USAGE;
    if (error < 0)
      *status = CLI_EXIT_FAILURE;
    if (*status != CLI_EXIT_OK)
      return -1;
  }
  return 0;
}

/* Checks what can be known of the options before anything is done. */
static int check_options(const struct cli_command *command, struct run_options *run)
{
  const char *times = run->times != NULL ? run->times : cli_environment("CALLSIG_TIMES");
  int status = cli_triggers_check(command, &run->triggers, times, run->no_signatures, &run->timeline);
  const struct cli_timing timing = {run->times, run->overhead, run->clock, run->timeline};
  if (status == CLI_EXIT_OK)
    status = cli_timing_check(command, &timing);
  if (status != CLI_EXIT_OK)
    return status;
  if (run->interval > 0 && run->database == NULL)
    return cli_usage_error(command, "--interval says how often --db FILE is written: give that too");
  if (run->server.token_file != NULL && run->server.address == NULL)
    return cli_usage_error(command, "--token-file is what --serve asks for: give that too");
  const char *output = run->output != NULL ? run->output : CLI_DEFAULT_RECORDING;
  if (run->database != NULL && strcmp(run->database, output) == 0)
    return cli_usage_error(command, "--db: %s is where the recording goes; name another file", run->database);
  if (run->beside && fmt_rank_find(cli_environment).source != NULL)
    return cli_usage_error(command, "--beside runs the program twice, which a process of a parallel job cannot do");
  status = cli_library_calls_check(command, &run->library_calls, run->beside);
  if (status == CLI_EXIT_OK)
    status = cli_window_read(command, run->after, run->record_for, &run->window);
  return status == CLI_EXIT_OK ? cli_run_table_check(command, &run->table, run->output) : status;
}

static int set_environment(const struct run_options *run, const struct cli_profiled_program *program,
                           const struct cli_libraries *libraries, const struct cli_install_paths *paths)
{
  int error = run->is_mpi ? cli_preload(NULL, run->mpi.library) : 0;
  /* A program with the runtime linked into it would get a second one. */
  if (error == 0 && !program->facts.defines_hook)
    error = cli_preload(cli_libraries_first(libraries), paths->runtime);
  if (error < 0)
    return error;
  /* The program may change its folder, so that only an absolute path is right everywhere. */
  char rules[PATH_MAX];
  const char *const variables[][2] = {
      {"CALLSIG_COMMAND", paths->command},
      {"CALLSIG_NO_SIGNATURES", run->no_signatures ? "1" : NULL},
      {"CALLSIG_RULES", run->rules != NULL ? realpath(run->rules, rules) : NULL},
      {"CALLSIG_INCLUDE", run->include},
      {"CALLSIG_EXCLUDE", run->exclude},
      {"CALLSIG_CLOCK", run->clock},
      {"CALLSIG_TIMES", run->times},
      {"CALLSIG_OVERHEAD", run->overhead},
      {"CALLSIG_TIMELINE", run->timeline},
      {"CALLSIG_PERCENTILES", run->percentiles ? "1" : NULL},
      {"CALLSIG_SITES", run->call_sites ? "1" : NULL},
  };
  for (size_t i = 0; error == 0 && i < sizeof variables / sizeof *variables; i++)
    error = cli_environment_set(variables[i][0], variables[i][1]);
  if (error == 0)
    error = cli_bounds_set(&run->table.rows.filter, run->beside);
  return error == 0 ? cli_library_calls_set(&run->library_calls) : error;
}

/* Starts what reads the recording at every interval. */
static int start_monitor(const struct run_options *run, const char *output, struct callsig_monitor **monitor)
{
  struct callsig_monitor_options options = {
      .size = sizeof options,
      .path = output,
      .interval = run->interval > 0 ? run->interval : DEFAULT_INTERVAL,
      .database = run->database,
      .children = 1,
  };
  *monitor = NULL;
  return run->database != NULL ? callsig_monitor_start(&options, monitor) : 0;
}

/* What there is between the program's start and its report. */
struct running {
  const struct cli_recording_place *place;
  const char *program; /* the ELF file that runs */
  struct callsig_monitor *monitor;
  struct cli_beside *beside; /* NULL: not asked for */
  struct cli_own_run *own;   /* NULL: this run is not sampled */
  struct cli_family *family;
  struct cli_trigger_watch *triggers; /* NULL: there are none */
  pid_t pid;
  int status;
};

/* cli_supervise() calls it where the process can be looked at. */
static void look_at_process(pid_t pid, void *data)
{
  const struct running *running = data;
  if (running->monitor != NULL)
    callsig_monitor_look(running->monitor, (unsigned)pid);
  if (running->own != NULL)
    cli_own_run_look(running->own, pid);
}

/* Samples tell what hooks took where not every call is timed, and where the hooks' code is not among the program's.
 * They are there when the program has ended, and intervals that a database has by then could not add up to what they
 * say. Those in the code of libraries would count for the functions that call it and have rows of their own here, and
 * those in calls that are not recorded for nobody that is. */
static bool is_sampled(const struct run_options *run, const struct cli_profiled_program *program)
{
  const struct cli_timing timing = {run->times, run->overhead, run->clock, run->timeline};
  return !run->beside && run->database == NULL && !cli_bounds_are_set(&run->table.rows.filter) &&
         !cli_library_calls_wanted(&run->library_calls) && !program->facts.has_runtime &&
         cli_timing_leaves_out(&timing);
}

/* Says how the program ended, and ends the monitor, which reads that too. */
static void report_run(struct run_options *run, struct running *running, char **argv)
{
  const struct cli_recording_place *place = running->place;
  int status = running->status;
  int error = cli_recording_stamp(place, running->pid, status);
  cli_family_rest(running->family);
  callsig_monitor_stop(running->monitor);
  const char *shown = run->named;
  if (error == -ESTALE)
    cli_error("%s: the recording was taken away while the program ran: nothing is left to show", shown);
  else if (error < 0 && error != -ENOENT && error != -ESRCH)
    cli_error("%s: how the program ended cannot be written there: %s", shown, strerror(-error));
  if (error == 0 && running->own != NULL)
    cli_own_run_write(running->own, running->program, running->pid, status);
  if (error == 0 && running->beside != NULL)
    cli_beside_run(running->beside, argv, place->path, running->pid, status);
  if (error == 0)
    cli_recording_seal(place);
  const bool is_full = cli_recording_is_full(place);
  const bool is_off = (run->window.off || run->window.after_ns > 0 || cli_environment("CALLSIG_DISABLED") != NULL) &&
                      cli_recording_was_never_on(place);
  run->table.has_end = run->window.for_ns > 0;
  struct cli_family_end end = cli_family_finish(running->family, run->apart);
  if (error == -ENOENT && end.processes + end.live == 0)
    cli_run_end_explain_nothing(place, shown, status);
  if (end.count > 0 && run->rank.number == 0)
    cli_run_end_print_table(&end, &run->table, is_full, is_off, run->output == NULL);
  cli_run_end_tell(&end, shown);
  cli_own_run_tell(running->own);
  cli_trigger_watch_tell(running->triggers, end.files, end.count);
  if (run->is_mpi)
    cli_mpi_end(&run->mpi, place, &run->rank, shown, status);
  cli_family_end_free(&end);
}

/* Names the recording in run->named; `number` above 1: the so-manieth beside the default. Ranks of a job that are
 * started alike do not meet in one file. False: the path is too long. */
static bool name_output(struct run_options *run, unsigned number)
{
  int length = number > 1 ? snprintf(run->named, sizeof run->named, CLI_NUMBERED_RECORDING, number)
                          : snprintf(run->named, sizeof run->named, "%s",
                                     run->output != NULL ? run->output : CLI_DEFAULT_RECORDING);
  return length >= 0 && (size_t)length < sizeof run->named && fmt_rank_name(&run->rank, run->named, sizeof run->named);
}

/* Takes the place of the recording: what -o says, or the first of the default ones that nobody writes to. */
static int take_place(struct run_options *run, struct cli_recording_place *place)
{
  uint32_t writer = 0;
  int error = cli_recording_place_take(run->named, place, &writer);
  if (error != -EBUSY)
    return error;
  char who[64] = "another run";
  if (writer != 0)
    snprintf(who, sizeof who, "process %u", (unsigned)writer);
  if (run->output != NULL) {
    cli_error("run: %s: %s still records there; choose another place with -o", run->named, who);
    return error;
  }
  for (unsigned number = 2; error == -EBUSY && number <= MOST_RECORDINGS; number++)
    error = name_output(run, number) ? cli_recording_place_take(run->named, place, &writer) : -ENAMETOOLONG;
  if (error == 0)
    cli_error("%s still records in " CLI_DEFAULT_RECORDING ": this run records in %s", who, run->named);
  else if (error == -EBUSY)
    cli_error("run: %s still records in " CLI_DEFAULT_RECORDING ", and others in all up to %s; choose a place with -o",
              who, run->named);
  return error;
}

/* Finds the program, and makes ready all that it needs to be recorded at `place`. */
static int prepare(struct run_options *run, const char *name, struct cli_profiled_program *program,
                   struct cli_recording_place *place)
{
  struct cli_libraries libraries = {0};
  struct cli_install_paths paths;
  int error = cli_profiled_program_find(name, program);
  if (error == 0)
    error = cli_install_paths_find(&paths);
  if (error == 0 && program->facts.interpreter[0] != '\0')
    error = cli_libraries_list(program->facts.interpreter, program->image,
                               program->facts.defines_hook ? NULL : paths.runtime, &libraries);
  if (error == 0 && run->is_mpi)
    error = cli_mpi_find(program->image, &libraries, &run->mpi);
  if (error == 0)
    error = cli_prepare_indexes(program, &libraries, run->rules, run->library_calls.globs != NULL,
                                cli_bounds_below(&run->table.rows.filter, run->beside));
  if (error == -ENOEXEC && run->beside && run->plain == NULL)
    cli_error("run: the program to take times from is named with '=': --beside=%s", name);
  if (error == 0 && (error = set_environment(run, program, &libraries, &paths)) == -ENOMEM)
    cli_error("run: out of memory");
  /* Last, so that an older recording stays when this run comes to nothing; before the database alone, whose writer
   * reads what it finds there. */
  if (error == 0)
    error = take_place(run, place);
  if (error == 0)
    cli_child_files_remove_older(place->path, place->run);
  if (error == 0 && run->is_mpi)
    error = cli_mpi_begin(&run->mpi, place, &run->rank);
  if (error == 0 && (error = cli_recording_place_hand_over(place)) < 0)
    cli_error("run: out of memory");
  cli_libraries_free(&libraries);
  return error;
}

/* Runs the program to its end, with everything ready. */
static int run_at_place(struct run_options *run, const struct cli_profiled_program *program, char **argv,
                        const struct cli_recording_place *place, struct cli_beside *beside)
{
  struct running running = {.place = place, .program = program->image, .beside = beside};
  /* A new process is made while this one has one thread. */
  if (cli_side_server_start(&run->server, place->path) < 0 || start_monitor(run, place->path, &running.monitor) < 0)
    return CLI_EXIT_FAILURE;
  struct cli_window_timer *timer = NULL;
  int error = cli_trigger_watch_begin(&run->triggers, place, &running.triggers);
  if (error == 0 && !(running.family = cli_family_start(place, running.monitor, running.triggers, run->apart)))
    error = -ENOMEM;
  if (error == 0 && is_sampled(run, program))
    running.own = cli_own_run_open(place);
  if (error == 0 && ((error = cli_window_begin(&run->window, place, &timer)) < 0 ||
                     (error = cli_supervise(program->path, argv, environ, run->is_mpi, look_at_process, &running,
                                            &running.pid, &running.status)) < 0))
    cli_error("run: %s: cannot be started: %s", program->path, strerror(-error));
  cli_own_run_end(running.own);
  cli_side_server_end(&run->server);
  cli_window_end(timer);
  cli_trigger_watch_end(running.triggers);
  if (error < 0) {
    cli_family_rest(running.family);
    callsig_monitor_stop(running.monitor);
    struct cli_family_end end = cli_family_finish(running.family, true);
    cli_trigger_watch_tell(running.triggers, NULL, 0);
    cli_family_end_free(&end);
  } else
    report_run(run, &running, argv);
  cli_own_run_free(running.own);
  if (error < 0)
    return CLI_EXIT_FAILURE;
  return WIFSIGNALED(running.status) ? 128 + WTERMSIG(running.status) : WEXITSTATUS(running.status);
}

static int run_program(struct run_options *run, char **argv)
{
  struct cli_profiled_program program;
  struct cli_recording_place place = {.fd = -1};
  struct cli_beside *beside = NULL;
  int status = CLI_EXIT_FAILURE;
  if (run->beside && cli_beside_open(&beside, argv[0], run->plain) < 0)
    return status;
  if (prepare(run, argv[0], &program, &place) == 0)
    status = run_at_place(run, &program, argv, &place, beside);
  cli_recording_place_leave(&place);
  cli_beside_free(beside);
  return status;
}

static int run_main(const struct cli_command *command, int argc, char **argv)
{
  struct run_options run = {.rules = cli_environment("CALLSIG_RULES"),
                            .rank = fmt_rank_find(cli_environment),
                            .table = {.rows = CLI_ROW_OPTIONS_DEFAULT},
                            .server = CLI_SIDE_SERVER_NONE};
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &run, &status) == 0) {
    /* Who reads what is told here may be gone before the program is, which is waited for all the same. */
    cli_signal_ignore(SIGPIPE);
    status = check_options(command, &run);
    if (status == CLI_EXIT_OK)
      status = cli_side_server_open(&run.server);
    if (status == CLI_EXIT_OK && !name_output(&run, 1))
      status = cli_usage_error(command, "-o: the path is longer than %zu bytes", sizeof run.named - 1);
    if (status == CLI_EXIT_OK && optind == argc)
      status = cli_usage_error(command, "no program given");
    if (status == CLI_EXIT_OK)
      status = run_program(&run, argv + optind);
  }
  cli_side_server_end(&run.server);
  cli_triggers_free(&run.triggers);
  free(run.include);
  free(run.library_calls.globs);
  free(run.exclude);
  cli_mpi_leave(&run.mpi);
  return cli_supervise_end(status);
}

const struct cli_command cli_command_run = {
    .name = "run",
    .summary = "profile an instrumented program",
    .help = cli_run_help,
    /* With '+' the first argument ends the options: what follows is the program's. */
    .letters = "+:o:s:",
    .options = option_table,
    .main = run_main,
};
