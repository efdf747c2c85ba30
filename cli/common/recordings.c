/* Finds the recordings among the arguments of a command, and loads them. */
#include "cli/common/recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/recording.h"

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

/* One of the recordings to add. */
struct given {
  size_t number;
  uint64_t written;
};

/* When the recording of a whole run was written; 0: it is another. */
static uint64_t family_written(const char *path)
{
  struct fmt_rec_header header;
  const uint32_t family = FMT_REC_MERGED | FMT_REC_FAMILY;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return 0;
  const bool is_family = pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                         memcmp(header.magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) == 0 &&
                         (header.flags & family) == family;
  close(file);
  return is_family ? header.start_realtime_ns : 0;
}

/* Recordings of whole runs first, the newest of them first of all, as each tells which others it has. */
static int compare_written(const void *left, const void *right)
{
  const struct given *a = left, *b = right;
  if (a->written != b->written)
    return a->written > b->written ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

int cli_recordings_add(struct callsig_stats *stats, char *const *recordings, size_t count)
{
  struct given *given = calloc(count + 1, sizeof *given);
  int error = 0;
  if (given == NULL) {
    cli_error("out of memory");
    return -ENOMEM;
  }
  for (size_t i = 0; i < count; i++)
    given[i] = (struct given){.number = i, .written = family_written(recordings[i])};
  qsort(given, count, sizeof *given, compare_written);
  for (size_t i = 0; i < count && error == 0; i++)
    error = callsig_stats_add(stats, recordings[given[i].number]);
  free(given);
  return error;
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
  const struct callsig_stats_options options = {.size = sizeof options, .now = 1, .timeline = timeline};
  int error = callsig_stats_new(&options, stats);
  if (error == 0)
    error = cli_recordings_add(*stats, recordings, count);
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
