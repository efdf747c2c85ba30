/* Finds the runtime and the headers from where the running executable lies. */
#include "cli/common/install_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "config.h"

/* One arrangement of files around the command. */
struct layout {
  const char *lib;     /* from the command's folder */
  const char *include; /* from the command's folder, or absolute */
  const char *plugins; /* from the command's folder */
  const char *rules;   /* from the command's folder, or absolute */
};

static const struct layout layouts[] = {
    {CLI_BIN_TO_LIB, CLI_BIN_TO_INCLUDE, CLI_BIN_TO_PLUGINS, CLI_BIN_TO_RULES},
    {CLI_BUILD_TO_LIB, CLI_BUILD_INCLUDE, CLI_BUILD_TO_PLUGINS, CLI_BUILD_RULES},
};

/* Writes "A/B" (B alone when it is absolute), with links and dots resolved, into `out`. False when there is no such
 * file. */
static bool resolve(const char *folder, const char *name, char out[PATH_MAX])
{
  char joined[PATH_MAX];
  int length = name[0] == '/' ? snprintf(joined, sizeof joined, "%s", name)
                              : snprintf(joined, sizeof joined, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= sizeof joined)
    return false;
  return realpath(joined, out) != NULL;
}

static bool try_layout(const struct layout *layout, const char *folder, struct cli_install_paths *paths)
{
  if (!resolve(folder, layout->lib, paths->lib))
    return false;
  /* The runtime keeps its soname in the path: preloading it by the name of the versioned file would load it beside a
   * copy that the program itself links. */
  int length = snprintf(paths->runtime, sizeof paths->runtime, "%s/%s", paths->lib, CLI_RUNTIME_SONAME);
  if (length < 0 || (size_t)length >= sizeof paths->runtime || access(paths->runtime, R_OK) != 0)
    return false;
  if (!resolve(folder, layout->include, paths->include))
    paths->include[0] = '\0';
  if (!resolve(folder, layout->plugins, paths->plugins))
    paths->plugins[0] = '\0';
  if (!resolve(folder, layout->rules, paths->rules))
    paths->rules[0] = '\0';
  return true;
}

int cli_install_paths_find(struct cli_install_paths *paths)
{
  ssize_t length = readlink("/proc/self/exe", paths->command, sizeof paths->command - 1);
  if (length < 0) {
    int error = errno;
    cli_error("/proc/self/exe: %s; callsig needs /proc to find its own files", strerror(error));
    return -error;
  }
  paths->command[length] = '\0';

  char folder[PATH_MAX];
  memcpy(folder, paths->command, sizeof folder);
  *strrchr(folder, '/') = '\0';
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (try_layout(&layouts[i], folder, paths))
      return 0;
  cli_error("%s is not where %s belongs to it (%s/%s): install callsig again", CLI_RUNTIME_SONAME, paths->command,
            folder, CLI_BIN_TO_LIB);
  return -ENOENT;
}
