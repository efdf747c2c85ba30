/* Runs a program again under the sampler, out of sight. */
#include "cli/beside/second_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/beside/sampler.h"
#include "cli/beside/used_time.h"
#include "cli/common/subcommand.h"
#include "cli/run/supervise.h"

static bool is_mode(int file, mode_t mode)
{
  struct stat status;
  return fstat(file, &status) == 0 && (status.st_mode & S_IFMT) == mode;
}

/* Where the next byte is written. */
static int64_t end_of_output(void)
{
  struct stat status;
  int flags = fcntl(STDOUT_FILENO, F_GETFL);
  if (flags >= 0 && flags & O_APPEND && fstat(STDOUT_FILENO, &status) == 0)
    return status.st_size;
  return lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

void cli_run_files_keep(struct cli_run_files *files)
{
  *files = (struct cli_run_files){.rewinds_input = is_mode(STDIN_FILENO, S_IFREG),
                                  .empties_input = is_mode(STDIN_FILENO, S_IFIFO) || is_mode(STDIN_FILENO, S_IFSOCK),
                                  .keeps_output = is_mode(STDOUT_FILENO, S_IFREG)};
  files->input = files->rewinds_input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  files->output = files->keeps_output ? end_of_output() : 0;
}

/* Puts `file` in the place of a standard one, which is kept in *kept. */
static void replace(int standard, int file, int *kept)
{
  *kept = fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (file >= 0)
    dup2(file, standard);
}

static void restore(int standard, int kept)
{
  if (kept < 0)
    return;
  dup2(kept, standard);
  close(kept);
}

/* What the standard files are during the run. */
struct stand_ins {
  FILE *output; /* NULL: what is written is dropped */
  int nothing;
  int kept[STDERR_FILENO + 1];
};

static int stand_in(const struct cli_run_files *files, struct stand_ins *stand_ins)
{
  *stand_ins = (struct stand_ins){.nothing = open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (stand_ins->nothing < 0) {
    cli_error("run: /dev/null: %s", strerror(errno));
    return -errno;
  }
  if (files->keeps_output && (stand_ins->output = tmpfile()) == NULL)
    cli_error("run: what the second run writes is not compared: no file can be made for it: %s", strerror(errno));
  /* The program has it as its standard output alone. */
  if (stand_ins->output != NULL)
    fcntl(fileno(stand_ins->output), F_SETFD, FD_CLOEXEC);
  if (files->empties_input)
    cli_error("run: standard input is not a file, so that the second run finds it empty; give it a file");
  if (files->rewinds_input)
    lseek(STDIN_FILENO, files->input, SEEK_SET);
  fflush(NULL);
  replace(STDIN_FILENO, files->empties_input ? stand_ins->nothing : -1, &stand_ins->kept[STDIN_FILENO]);
  replace(STDOUT_FILENO, stand_ins->output != NULL ? fileno(stand_ins->output) : stand_ins->nothing,
          &stand_ins->kept[STDOUT_FILENO]);
  replace(STDERR_FILENO, stand_ins->nothing, &stand_ins->kept[STDERR_FILENO]);
  return 0;
}

static void step_back(struct stand_ins *stand_ins)
{
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    restore(i, stand_ins->kept[i]);
  close(stand_ins->nothing);
}

/* Compares `left` from its offset `begin` up to `end` with all of `right`. False when they differ, or cannot be read.
 */
static bool are_equal(int left, int64_t begin, int64_t end, int right)
{
  char a[1 << 14], b[1 << 14];
  struct stat status;
  if (fstat(right, &status) != 0 || status.st_size != end - begin)
    return false;
  for (int64_t at = 0; at < status.st_size;) {
    ssize_t length = pread(left, a, sizeof a, (off_t)(begin + at));
    if (length <= 0)
      return false;
    if (length > status.st_size - at)
      length = (ssize_t)(status.st_size - at);
    if (pread(right, b, (size_t)length, (off_t)at) != length || memcmp(a, b, (size_t)length) != 0)
      return false;
    at += length;
  }
  return true;
}

static void compare_output(const struct cli_run_files *files, struct stand_ins *stand_ins, struct cli_second_run *run)
{
  /* Standard output itself may be open for writing alone. */
  int written = stand_ins->output != NULL ? open("/proc/self/fd/1", O_RDONLY | O_CLOEXEC) : -1;
  if (written >= 0) {
    run->output_known = true;
    run->output_differs = !are_equal(written, files->output, end_of_output(), fileno(stand_ins->output));
    close(written);
  }
  if (stand_ins->output != NULL)
    fclose(stand_ins->output);
}

/* The sampler during the run. */
struct watch {
  struct cli_sampler *sampler;
  bool is_started;
};

/* cli_supervise() calls it when the program has begun, and when it has ended. */
static void look(pid_t pid, void *data)
{
  struct watch *watch = data;
  if (watch->is_started)
    cli_sampler_stop(watch->sampler);
  else
    cli_sampler_start(watch->sampler, pid);
  watch->is_started = true;
}

int cli_second_run(const char *path, char *const argv[], char *const environment[], const struct cli_run_files *files,
                   struct cli_known_modules *known, struct cli_second_run *run)
{
  const struct cli_profiled profiled = {.is_profiled = cli_is_known_module, .data = known};
  struct cli_used used = {0};
  struct watch watch = {0};
  struct stand_ins stand_ins;
  pid_t pid;
  *run = (struct cli_second_run){0};
  int error = cli_sampler_open(&watch.sampler, NULL, &profiled);
  if (error < 0) {
    cli_error("run: out of memory");
    return error;
  }
  error = stand_in(files, &stand_ins);
  if (error == 0) {
    struct cli_used before = cli_used_by_children();
    error = cli_supervise(path, argv, environment, false, look, &watch, &pid, &run->status);
    struct cli_used after = cli_used_by_children();
    used = (struct cli_used){.user = after.user - before.user, .system = after.system - before.system};
    step_back(&stand_ins);
    compare_output(files, &stand_ins, run);
    if (error < 0)
      cli_error("run: %s: cannot be started: %s", path, strerror(-error));
  }
  int sampled = cli_sampler_close(watch.sampler, &used, &run->samples);
  run->used_ns = used.user + (run->samples.in_kernel ? used.system : 0);
  if (error == 0 && sampled < 0)
    cli_error(
        "run: %s: no samples can be taken of it: %s; allow perf_event_open (kernel.perf_event_paranoid) or ptrace",
        path, strerror(-sampled));
  return error < 0 ? error : sampled;
}
