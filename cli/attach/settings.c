/* Writes the settings of a runtime that is loaded into a running program: an environment of its own. */
#include "cli/attach/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/install_paths.h"
#include "cli/common/subcommand.h"

extern char **environ;

/* Beyond these it reads no variables; what the command says itself is not taken from here. */
static bool is_wanted(const char *entry)
{
  static const char *const said[] = {"CALLSIG_COMMAND=", "CALLSIG_OUTPUT=", "CALLSIG_RUN=", "CALLSIG_DISABLED="};
  static const char *const wanted[] = {"CALLSIG_", "HOME=", "XDG_CACHE_HOME=", "PATH="};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (strncmp(entry, said[i], strlen(said[i])) == 0)
      return false;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (strncmp(entry, wanted[i], strlen(wanted[i])) == 0)
      return true;
  return false;
}

/* Rules and the cache may be named from this command's folder, which is not the program's. */
static int write_entry(FILE *out, const char *entry)
{
  static const char *const paths[] = {"CALLSIG_RULES=", "CALLSIG_CACHE_DIR="};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    size_t length = strlen(paths[i]);
    if (strncmp(entry, paths[i], length) != 0 || entry[length] == '\0')
      continue;
    char *absolute = realpath(entry + length, NULL);
    if (absolute == NULL)
      return -errno;
    fprintf(out, "%s%s%c", paths[i], absolute, '\0');
    free(absolute);
    return 0;
  }
  fprintf(out, "%s%c", entry, '\0');
  return 0;
}

int cli_attach_settings(const struct cli_recording_place *place, char **text, size_t *size)
{
  struct cli_install_paths paths;
  int error = cli_install_paths_find(&paths);
  FILE *out = error == 0 ? open_memstream(text, size) : NULL;
  if (error == 0 && out == NULL)
    error = -errno;
  for (char **entry = environ; error == 0 && *entry != NULL; entry++)
    if (is_wanted(*entry) && (error = write_entry(out, *entry)) < 0)
      cli_error("attach: %s: %s", *entry, strerror(-error));
  if (out == NULL)
    return error;
  fprintf(out, "CALLSIG_COMMAND=%s%cCALLSIG_OUTPUT=%s%cCALLSIG_RUN=%" PRIu64 "%c%c", paths.command, '\0', place->path,
          '\0', place->run, '\0', '\0');
  bool failed = ferror(out) != 0;
  if ((fclose(out) != 0 || failed) && error == 0) {
    error = -ENOMEM;
    cli_error("attach: out of memory");
  }
  if (error < 0)
    free(*text);
  return error;
}
