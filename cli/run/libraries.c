/* Runs `ld.so --list IMAGE` (what ldd does) and reads what it prints. */
#include "cli/run/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/subcommand.h"

extern char **environ;

static int add_path(struct cli_libraries *libraries, const char *path, size_t length)
{
  char **grown = reallocarray(libraries->paths, libraries->count + 1, sizeof *grown);
  if (grown == NULL)
    return -ENOMEM;
  libraries->paths = grown;
  grown[libraries->count] = strndup(path, length);
  if (grown[libraries->count] == NULL)
    return -ENOMEM;
  libraries->count++;
  return 0;
}

/* A line is "\tNAME => PATH (0xADDRESS)", "\tPATH (0xADDRESS)", or an error: "PROGRAM: error while loading shared
 * libraries: WHAT", which is told unless `image` is NULL. */
static int read_line(struct cli_libraries *libraries, const char *image, char *line)
{
  static const char failure[] = "error while loading shared libraries: ";
  char *what = strstr(line, failure);
  if (what != NULL) {
    what[strcspn(what, "\n")] = '\0';
    if (image != NULL)
      cli_error("run: %s: would not start: %s (LD_LIBRARY_PATH names more folders)", image, what + sizeof failure - 1);
    return -ENOENT;
  }
  char *arrow = strstr(line, " => ");
  char *path = arrow != NULL ? arrow + 4 : line + strspn(line, "\t ");
  char *end = strstr(path, " (0x");
  return path[0] == '/' && end != NULL ? add_path(libraries, path, (size_t)(end - path)) : 0;
}

static int spawn_lister(const char *interpreter, const char *image, const char *runtime, int output, pid_t *pid)
{
  char *plain[] = {(char *)interpreter, "--list", (char *)image, NULL};
  char *preloading[] = {(char *)interpreter, "--preload", (char *)runtime, "--list", (char *)image, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  int error = posix_spawn(pid, interpreter, &actions, NULL, runtime != NULL ? preloading : plain, environ);
  posix_spawn_file_actions_destroy(&actions);
  return -error;
}

/* Reads the lister's output to its end, even after a bad line, so that it never writes to a closed pipe. A negative
 * errno: what cannot be read, or -ENOENT after a message. */
static int read_all(struct cli_libraries *libraries, const char *image, FILE *output)
{
  char *line = NULL;
  size_t capacity = 0;
  int result = 0;
  while (getline(&line, &capacity, output) >= 0) {
    int error = result == 0 ? read_line(libraries, image, line) : 0;
    if (error < 0)
      result = error;
  }
  if (result == 0 && !feof(output))
    result = -errno;
  free(line);
  return result;
}

/* Waits for the lister. Returns its status as wait() gives it, or a negative errno. */
static int wait_lister(pid_t pid)
{
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return -errno;
  return status;
}

/* Lists the libraries, with `runtime` loaded before them unless it is NULL. Where one is missing, 1 when that is not to
 * be told. */
static int list(const char *interpreter, const char *image, const char *runtime, bool is_told,
                struct cli_libraries *libraries)
{
  *libraries = (struct cli_libraries){0};
  int ends[2];
  pid_t pid;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    int error = errno;
    cli_error("run: cannot make a pipe: %s", strerror(error));
    return -error;
  }
  int error = spawn_lister(interpreter, image, runtime, ends[1], &pid);
  close(ends[1]);
  if (error < 0) {
    cli_error("run: %s: its dynamic linker %s cannot be run: %s", image, interpreter, strerror(-error));
    close(ends[0]);
    return error;
  }
  FILE *output = fdopen(ends[0], "r");
  if (output != NULL) {
    error = read_all(libraries, is_told ? image : NULL, output);
    fclose(output);
  } else {
    error = -errno;
    close(ends[0]);
  }
  int status = wait_lister(pid);
  if (error == -ENOENT)
    return is_told ? error : 1;
  if (error < 0)
    cli_error("run: %s: its libraries cannot be listed: %s", image, strerror(-error));
  if (error < 0 || status == 0)
    return error;
  cli_error("run: %s: '%s --list' fails on it, so it would not start", image, interpreter);
  return -ENOEXEC;
}

int cli_libraries_list(const char *interpreter, const char *image, const char *runtime, struct cli_libraries *libraries)
{
  int error = list(interpreter, image, NULL, runtime == NULL, libraries);
  if (error != 1)
    return error;
  cli_libraries_free(libraries);
  return list(interpreter, image, runtime, true, libraries);
}

const char *cli_libraries_first(const struct cli_libraries *libraries)
{
  static const char *const names[] = {"libasan.so", "libclang_rt.asan", "libhwasan.so"};
  for (size_t i = 0; i < libraries->count; i++) {
    const char *base = strrchr(libraries->paths[i], '/') + 1;
    for (size_t j = 0; j < sizeof names / sizeof *names; j++)
      if (strncmp(base, names[j], strlen(names[j])) == 0)
        return libraries->paths[i];
  }
  return NULL;
}

void cli_libraries_free(struct cli_libraries *libraries)
{
  for (size_t i = 0; i < libraries->count; i++)
    free(libraries->paths[i]);
  free(libraries->paths);
  *libraries = (struct cli_libraries){0};
}
