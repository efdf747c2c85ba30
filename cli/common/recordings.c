/* Finds the recordings among the arguments of a command, and loads them. */
#include "cli/common/recordings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/recording.h"
#include "output/stats/restrict.h"

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

static bool ends_with(const char *text, const char *ending)
{
  const size_t length = strlen(text), wanted = strlen(ending);
  return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

/* Is the argument named as a recording is? That of a process or a rank has a number behind the name, and what the shell
 * found no file for is handed on as it was typed: "callsig.out.*". */
static bool is_named_as_recording(const char *argument)
{
  return ends_with(argument, ".cs") || ends_with(argument, ".out") || ends_with(argument, ".callsig") ||
         strstr(argument, ".cs.") != NULL || strstr(argument, ".out.") != NULL;
}

/* Refuses an argument that is no file and was meant to be one: what is named as recordings are, and a folder that is
 * named with a slash. One without may be the name of a function, too. False after a message. */
static bool are_restrictions(const struct cli_command *command, char **arguments, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct stat file;
    const bool is_there = stat(arguments[i], &file) == 0;
    if (!is_named_as_recording(arguments[i]) && !(is_there && strchr(arguments[i], '/') != NULL))
      continue;
    cli_error("%s: %s: %s; name a recording, or make one with 'callsig run -o FILE PROGRAM'", command->name,
              arguments[i], is_there ? "is a folder" : "no such file");
    return false;
  }
  return true;
}

/* Does the file begin as recordings do? Of one that is empty, or cannot be read, reading it tells more. */
static bool may_be_recording(const char *path)
{
  char begin[sizeof FMT_RECORDING_MAGIC];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return true;
  const ssize_t length = pread(file, begin, sizeof begin, 0);
  close(file);
  return length <= 0 ||
         (length == (ssize_t)sizeof begin && memcmp(begin, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) == 0);
}

/* A restriction that a file is called like is taken for a recording: says how it is written instead. The parentheses
 * change nothing in an expression, and no file is called so. False after a message. */
static bool are_recordings(const struct cli_command *command, char **files, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (may_be_recording(files[i]))
      continue;
    cli_error("%s: %s: not a callsig recording; for the rows of that name, write '(%s)'", command->name, files[i],
              files[i]);
    return false;
  }
  return true;
}

/* Where no recording is named, there has to be the default one. `other` is an argument that is no file, or NULL. False
 * after a message. */
static bool has_default(const struct cli_command *command, const char *other)
{
  struct stat file;
  if (stat(CLI_DEFAULT_RECORDING, &file) == 0)
    return true;
  cli_error("%s: %s%s: %s; name a recording, or make one with 'callsig run PROGRAM'", command->name, other ? other : "",
            other ? " is not a file, and " CLI_DEFAULT_RECORDING : CLI_DEFAULT_RECORDING, strerror(errno));
  return false;
}

bool cli_recordings_have_default(const struct cli_command *command)
{
  return has_default(command, NULL);
}

static int load(char **recordings, size_t count, bool timeline, struct callsig_stats **stats)
{
  static char *standard[] = {CLI_DEFAULT_RECORDING};
  const struct callsig_stats_options options = {.size = sizeof options, .now = 1, .timeline = timeline};
  int error = callsig_stats_new(&options, stats);
  if (error == 0)
    error = cli_recordings_add(*stats, count > 0 ? recordings : standard, count > 0 ? count : 1);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

int cli_recordings_load(const struct cli_command *command, char **recordings, size_t count, size_t others,
                        struct callsig_stats **stats)
{
  if (!are_restrictions(command, recordings + count, others) || !are_recordings(command, recordings, count) ||
      (count == 0 && !has_default(command, others > 0 ? recordings[0] : NULL)))
    return CLI_EXIT_FAILURE;
  return load(recordings, count, false, stats);
}

int cli_recordings_load_all(const struct cli_command *command, char **recordings, size_t count, bool timeline,
                            struct callsig_stats **stats)
{
  if (count == 0 && !has_default(command, NULL))
    return CLI_EXIT_FAILURE;
  return load(recordings, count, timeline, stats);
}

/* Could it be the name of a file? A number is none, and most expressions have other characters. */
static bool may_name_file(const char *text)
{
  bool has_letter = false;
  for (const char *at = text; *at != '\0'; at++) {
    const bool is_letter = isalpha((unsigned char)*at) || *at == '_';
    if (!is_letter && !isdigit((unsigned char)*at) && strchr("./-", *at) == NULL)
      return false;
    has_letter |= is_letter;
  }
  return has_letter;
}

void cli_recordings_tell_unfound(const struct cli_command *command, struct callsig_stats *stats, char **restrictions,
                                 size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (may_name_file(restrictions[i]) && !out_restriction_finds(stats, restrictions[i]))
      cli_error("%s: '%s' is no file, so that it was searched for in the names of rows, and it is in none",
                command->name, restrictions[i]);
}

int cli_recordings_status(const struct callsig_stats *stats)
{
  return callsig_stats_damaged(stats) > 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}
