/* posix_spawn with file actions and attributes: another stdout, a process group and a mask. */
#include "tests/guest/hazard.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(int argc, char **argv)
{
  CALLED(main);
  if (argc > 1) {
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    dprintf(7, "%d %d %d\n", work(3), getpgrp() == getpid(), sigismember(&mask, SIGUSR2));
    return 2;
  }
  int ends[2], status;
  char line[64] = "";
  CHECK(pipe(ends) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 7);
  posix_spawn_file_actions_addclose(&actions, 0);
  posix_spawn_file_actions_addclose(&actions, 1);
  posix_spawn_file_actions_addclose(&actions, 2);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  char *const arguments[] = {argv[0], (char *)"child", NULL};
  pid_t child;
  CHECK(posix_spawn(&child, "/proc/self/exe", &actions, &attributes, arguments, environ) == 0);
  waitpid(child, &status, 0);
  CHECK(read(ends[0], line, sizeof line - 1) > 0);
  printf("%s%d\n", line, WEXITSTATUS(status));
  return 0;
}
