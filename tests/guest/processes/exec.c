/* Runs itself again by fork+exec, vfork+exec, posix_spawn and a plain exec at the end. argv[1]: what to do. */
#include "tests/guest/guest.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int work(int x)
{
  KEEP(x);
  return x + 3;
}

static void run_image(const char *self, const char *mode)
{
  char *const arguments[] = {(char *)self, (char *)mode, NULL};
  execv(self, arguments);
  _exit(99);
}

static void expect_status(pid_t pid, int expected)
{
  int status;
  CHECK(pid > 0);
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

static void by_fork(const char *self)
{
  pid_t pid = fork();
  if (pid == 0)
    run_image(self, "child");
  expect_status(pid, 5);
}

static void by_vfork(const char *self)
{
  /* It is what is tried here. NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
  pid_t pid = vfork();
  if (pid == 0)
    run_image(self, "child"); /* NOLINT(clang-analyzer-unix.Vfork): that is instrumented, on purpose */
  expect_status(pid, 5);
}

static void by_spawn(const char *self)
{
  char *const arguments[] = {(char *)self, (char *)"child", NULL};
  pid_t pid;
  CHECK(posix_spawn(&pid, self, NULL, NULL, arguments, environ) == 0);
  expect_status(pid, 5);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "all";
  for (int i = 0; i < 20; i++)
    work(i);
  if (strcmp(mode, "child") == 0)
    return 5;
  if (strcmp(mode, "last") == 0) {
    printf("last image\n");
    return 0;
  }
  int every = strcmp(mode, "all") == 0;
  if (every || strcmp(mode, "fork") == 0)
    by_fork(argv[0]);
  if (every || strcmp(mode, "vfork") == 0)
    by_vfork(argv[0]);
  if (every || strcmp(mode, "spawn") == 0)
    by_spawn(argv[0]);
  printf("count work 20\ncount main 1\n");
  fflush(stdout);
  if (every)
    run_image(argv[0], "last");
  return 0;
}
