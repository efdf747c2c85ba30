/* The helper command: what it is given, and that the program cannot see it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/lock.h"
#include "profiler/module/helper.h"
#include "tests/support/check.h"

static struct prof_settings settings;
static char folder[512];
static char last_message[1024];
static int messages, signals;

static void keep_message(const char *line, void *data)
{
  (void)data;
  messages++;
  strncpy(last_message, line, sizeof last_message - 1);
}

static void count_signal(int number)
{
  (void)number;
  signals++;
}

static void write_script(const char *name, const char *text)
{
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
  strcpy(settings.command, path);
}

static const char *read_result(const char *name)
{
  static char text[65536];
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int fd = open(path, O_RDONLY);
  CHECK(fd >= 0);
  ssize_t size = read(fd, text, sizeof text - 1);
  CHECK(size >= 0 && close(fd) == 0);
  text[size] = '\0';
  return text;
}

static int count_descriptors(void)
{
  int count = 0;
  for (int fd = 0; fd < 256; fd++)
    count += fcntl(fd, F_GETFD) != -1;
  return count;
}

static void nothing_to_wait_for(void)
{
  int status;
  CHECK(waitpid(-1, &status, WNOHANG | __WALL) == -1 && errno == ECHILD);
  CHECK(signals == 0);
}

static void test_what_it_sees(void)
{
  write_script("tell", "#!/bin/sh\n"
                       "cd \"$CALLSIG_CACHE_DIR\" || exit 3\n"
                       "echo \"$@\" > arguments\n"
                       "env > environment\n"
                       "ls -l /proc/self/fd > descriptors\n"
                       "cat /proc/self/status > signals\n"
                       "echo to stdout; echo to stderr >&2\n");
  setenv("LD_PRELOAD_TEST", "kept", 1);
  setenv("CALLSIG_OUTPUT", "not for the helper", 1);
  int pipe_ends[2];
  CHECK(pipe(pipe_ends) == 0);
  int before = count_descriptors();
  uint64_t mask = prof_block_signals();
  CHECK(prof_helper_index(&settings, "/some/file") == 0);
  prof_restore_signals(mask);
  nothing_to_wait_for();
  CHECK(count_descriptors() == before);
  CHECK(strcmp(read_result("arguments"), "index --cache --rules /a/rules -- /some/file\n") == 0);
  const char *environment = read_result("environment");
  CHECK(strstr(environment, "LD_PRELOAD_TEST=kept") && !strstr(environment, "CALLSIG_OUTPUT"));
  CHECK(!strstr(read_result("descriptors"), "pipe:"));
  CHECK(strstr(read_result("signals"), "SigBlk:\t0000000000000000"));
  CHECK(strstr(read_result("signals"), "SigCgt:\t0000000000000000"));
  CHECK(messages == 0);
}

static void expect_failure(int error, const char *word)
{
  messages = 0;
  uint64_t mask = prof_block_signals();
  CHECK(prof_helper_index(&settings, "/some/file") == error);
  prof_restore_signals(mask);
  CHECK(messages == 1 && strstr(last_message, "/some/file") && strstr(last_message, word));
  nothing_to_wait_for();
}

static void test_failures(void)
{
  write_script("fails", "#!/bin/sh\nexit 1\n");
  expect_failure(-EIO, "fails");
  write_script("dies", "#!/bin/sh\nkill -9 $$\n");
  expect_failure(-EIO, "dies");
  strcpy(settings.command, "/nowhere/callsig");
  expect_failure(-ENOENT, "CALLSIG_COMMAND");
  strcpy(settings.command, "no-such-callsig-in-path");
  expect_failure(-ENOENT, "CALLSIG_COMMAND");
}

static void test_path(void)
{
  write_script("callsig-by-path", "#!/bin/sh\nexit 0\n");
  char path[2048];
  snprintf(path, sizeof path, "/nowhere:%s:%s", folder, getenv("PATH"));
  setenv("PATH", path, 1);
  strcpy(settings.command, "callsig-by-path");
  CHECK(prof_helper_index(&settings, "/some/file") == 0);
}

/* The helper needs more than the limits that the program set for itself. */
static void test_limits(void)
{
  write_script("limits", "#!/bin/sh\nulimit -S -f > \"$CALLSIG_CACHE_DIR/limit\"\n");
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = 0;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(prof_helper_index(&settings, "/some/file") == 0);
  limit.rlim_cur = limit.rlim_max;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(strcmp(read_result("limit"), "0\n") != 0);
}

/* What it writes is for nobody, whatever there is no number or no device for. */
static void test_silence(bool has_dev)
{
  write_script("lists", "#!/bin/sh\nls -l /proc/self/fd > \"$CALLSIG_CACHE_DIR/descriptors\"\n");
  int pipe_ends[2];
  struct rlimit limit;
  const int out = dup(1);
  CHECK(out >= 0 && pipe(pipe_ends) == 0 && fflush(stdout) == 0 && dup2(pipe_ends[1], 1) == 1);
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const struct rlimit none = {0, limit.rlim_max};
  CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  CHECK(prof_helper_index(&settings, "/some/file") == 0);
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0 && dup2(out, 1) == 1 && close(out) == 0);
  const char *descriptors = read_result("descriptors");
  CHECK(!strstr(descriptors, "pipe:") && strstr(descriptors, has_dev ? "/dev/null" : "memfd:"));
  CHECK(close(pipe_ends[0]) == 0 && close(pipe_ends[1]) == 0);
}

/* Only where a place of its own is allowed, to root as a rule. */
static void test_without_dev(void)
{
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/dev", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", "/dev", "tmpfs", 0, NULL) != 0) {
    fprintf(stderr, "skipped: without /dev, as the kernel allows no mount\n");
    return;
  }
  test_silence(false);
}

int main(void)
{
  snprintf(folder, sizeof folder, "%s/callsig-helper-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  CHECK(mkdtemp(folder));
  strcpy(settings.cache, folder);
  strcpy(settings.rules, "/a/rules");
  callsig_set_message(keep_message, NULL);
  struct sigaction action = {.sa_handler = count_signal};
  CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
  nothing_to_wait_for();
  test_what_it_sees();
  test_failures();
  test_path();
  test_limits();
  test_silence(true);
  test_without_dev();
  char command[1024];
  signal(SIGCHLD, SIG_DFL);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command) != 0;
}
