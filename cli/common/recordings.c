/* Finds the recordings among the arguments of a command, and loads them. */
#include "cli/common/recordings.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

size_t cli_recordings_to_front(char **arguments, size_t count)
{
  size_t recordings = 0;
  for (size_t i = 0; i < count; i++) {
    struct stat status;
    if (stat(arguments[i], &status) != 0 || S_ISDIR(status.st_mode))
      continue;
    char *recording = arguments[i];
    memmove(arguments + recordings + 1, arguments + recordings, (i - recordings) * sizeof *arguments);
    arguments[recordings++] = recording;
  }
  return recordings;
}

/* The first argument that ends as the names of recordings do, or NULL. */
static const char *find_missing(char **arguments, size_t count)
{
  static const char *const endings[] = {".cs", ".out"};
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(arguments[i]);
    for (size_t j = 0; j < sizeof endings / sizeof endings[0]; j++) {
      const size_t ending = strlen(endings[j]);
      if (length > ending && strcmp(arguments[i] + length - ending, endings[j]) == 0)
        return arguments[i];
    }
  }
  return NULL;
}

static int load(const struct cli_command *command, char **recordings, size_t count, size_t others, bool timeline,
                struct callsig_stats **stats)
{
  struct stat file;
  const char *other = others > 0 ? recordings[count] : NULL, *missing = find_missing(recordings + count, others);
  if (missing != NULL) {
    cli_error("%s: %s: %s; name a recording, or make one with 'callsig run -o FILE PROGRAM'", command->name, missing,
              stat(missing, &file) == 0 ? "is a folder" : "no such file");
    return CLI_EXIT_FAILURE;
  }
  static char *standard[] = {CLI_DEFAULT_RECORDING};
  if (count == 0) {
    if (stat(standard[0], &file) != 0) {
      cli_error("%s: %s%s: %s; name a recording, or make one with 'callsig run PROGRAM'", command->name,
                other ? other : "", other ? " is not a file, and " CLI_DEFAULT_RECORDING : CLI_DEFAULT_RECORDING,
                strerror(errno));
      return CLI_EXIT_FAILURE;
    }
    recordings = standard;
    count = 1;
  }
  const struct callsig_stats_options options = {.size = sizeof options, .timeline = timeline};
  int error = callsig_stats_new(&options, stats);
  for (size_t i = 0; error == 0 && i < count; i++)
    error = callsig_stats_add(*stats, recordings[i]);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

int cli_recordings_load(const struct cli_command *command, char **recordings, size_t count, size_t others,
                        struct callsig_stats **stats)
{
  return load(command, recordings, count, others, false, stats);
}

int cli_recordings_load_timeline(const struct cli_command *command, char **recordings, size_t count,
                                 struct callsig_stats **stats)
{
  return load(command, recordings, count, 0, true, stats);
}

int cli_recordings_status(const struct callsig_stats *stats)
{
  return callsig_stats_damaged(stats) > 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}
