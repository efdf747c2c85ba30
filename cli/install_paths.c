/* Finds the runtime and the headers from where the running executable lies. */
#include "cli/install_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "config.h"

/* One arrangement of files around the command. */
struct layout {
  const char *lib;     /* from the command's folder */
  const char *include; /* from the command's folder, or absolute */
};

static const struct layout layouts[] = {
    {CLI_BIN_TO_LIB, CLI_BIN_TO_INCLUDE},
    {CLI_BUILD_TO_LIB, CLI_BUILD_INCLUDE},
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

static bool try_layout(const struct layout *layout, const char *folder, struct cli_place *place)
{
  if (!resolve(folder, layout->lib, place->lib))
    return false;
  /* The runtime keeps its soname in the path: preloading it by the name of the versioned file would load it beside a
   * copy that the program itself links. */
  int length = snprintf(place->runtime, sizeof place->runtime, "%s/%s", place->lib, CLI_RUNTIME_SONAME);
  if (length < 0 || (size_t)length >= sizeof place->runtime || access(place->runtime, R_OK) != 0)
    return false;
  return resolve(folder, layout->include, place->include);
}

int cli_place_find(struct cli_place *place)
{
  ssize_t length = readlink("/proc/self/exe", place->command, sizeof place->command - 1);
  if (length < 0) {
    int error = errno;
    cli_error("/proc/self/exe: %s; callsig needs /proc to find its own files", strerror(error));
    return -error;
  }
  place->command[length] = '\0';

  char folder[PATH_MAX];
  memcpy(folder, place->command, sizeof folder);
  *strrchr(folder, '/') = '\0';
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (try_layout(&layouts[i], folder, place))
      return 0;
  cli_error("%s is not where %s belongs to it (%s/%s): install callsig again", CLI_RUNTIME_SONAME, place->command,
            folder, CLI_BIN_TO_LIB);
  return -ENOENT;
}
