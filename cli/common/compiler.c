/* Runs a compiler to ask it who it is and what it takes. */
#include "cli/common/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/find_program.h"

extern char **environ;

/* Starts the compiler with nothing to read, nobody to complain to, and `out` as its output. Returns 0 or a negative
 * errno. */
static int start(const char *path, char *const *arguments, int out, pid_t *pid)
{
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0)
    return -error;
  error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (error == 0)
    error = out >= 0 ? posix_spawn_file_actions_adddup2(&actions, out, 1)
                     : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (error == 0)
    error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (error == 0)
    error = posix_spawn(pid, path, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return -error;
}

/* True when the process ended with status 0. */
static bool succeeded(pid_t pid)
{
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return status == 0;
}

/* The number that "#define NAME " is followed by among the predefined macros; 0 without one. */
static unsigned macro(const char *macros, const char *name)
{
  const char *found = strstr(macros, name);
  return found == NULL ? 0 : (unsigned)strtoul(found + strlen(name), NULL, 10);
}

/* Reads the predefined macros from `file` and closes it. What does not look like them leaves the maker unknown. */
static void read_macros(FILE *file, struct cli_compiler *compiler)
{
  char line[512];
  unsigned gcc = 0, clang = 0;
  compiler->has_sleds = false;
  while (fgets(line, sizeof line, file) != NULL) {
    if (gcc == 0)
      gcc = macro(line, "#define __GNUC__ ");
    if (clang == 0)
      clang = macro(line, "#define __clang_major__ ");
    compiler->has_sleds |= macro(line, "#define __x86_64__ ") != 0;
  }
  fclose(file);
  /* clang calls itself a gcc too. */
  compiler->maker = clang != 0 ? CLI_COMPILER_CLANG : gcc != 0 ? CLI_COMPILER_GCC : CLI_COMPILER_OTHER;
  compiler->major = clang != 0 ? clang : gcc;
}

int cli_compiler_ask(const char *name, struct cli_compiler *compiler)
{
  int error = cli_find_program(name, compiler->path);
  if (error < 0)
    return error;
  compiler->is_musl = strstr(strrchr(compiler->path, '/') + 1, "musl") != NULL;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return -errno;
  FILE *file = fdopen(ends[0], "r");
  if (file == NULL) {
    error = -errno;
    close(ends[0]);
    close(ends[1]);
    return error;
  }
  char *const arguments[] = {compiler->path, (char *)"-dM",       (char *)"-E", (char *)"-x",
                             (char *)"c",    (char *)"/dev/null", NULL};
  pid_t pid = -1;
  error = start(compiler->path, arguments, ends[1], &pid);
  close(ends[1]);
  if (error < 0) {
    fclose(file);
    return error;
  }
  read_macros(file, compiler);
  if (!succeeded(pid))
    compiler->maker = CLI_COMPILER_OTHER;
  if (compiler->maker == CLI_COMPILER_OTHER)
    compiler->major = 0;
  return 0;
}

bool cli_compiler_takes(const struct cli_compiler *compiler, const char *const *options)
{
  const char *const rest[] = {"-Werror", "-x", "c", "-c", "/dev/null", "-o", "/dev/null"};
  char *arguments[1 + CLI_COMPILER_OPTIONS + sizeof rest / sizeof *rest + 1] = {(char *)compiler->path};
  size_t count = 1;
  for (size_t i = 0; i < CLI_COMPILER_OPTIONS && options[i] != NULL; i++)
    arguments[count++] = (char *)options[i];
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
    arguments[count++] = (char *)rest[i];
  pid_t pid;
  return start(compiler->path, arguments, -1, &pid) == 0 && succeeded(pid);
}
