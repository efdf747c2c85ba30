/* Tells of recordings that began when another one had ended. */
#include "cli/run/later_runs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "cli/run/child_files.h"
#include "cli/run/recording_place.h"

struct later {
  uint64_t run;   /* of the recording that is looked at; 0: of none */
  uint64_t ended; /* CLOCK_REALTIME, in nanoseconds */
  uid_t owner;    /* whose it is: in a folder that others may write to, theirs are none of these runs */
  unsigned count;
  uint64_t newest; /* when it began */
  char name[NAME_MAX + 1];
};

static int look(const struct cli_child_file *file, void *data)
{
  struct later *later = data;
  const struct fmt_rec_header *header = file->header;
  const bool is_of_this_run = later->run != 0 && header->run == later->run;
  struct stat status;
  if (fstat(file->fd, &status) != 0 || status.st_uid != later->owner)
    return 0;
  if (is_of_this_run || header->flags & FMT_REC_CHILD || header->start_realtime_ns <= later->ended)
    return 0;
  later->count++;
  if (header->start_realtime_ns > later->newest) {
    later->newest = header->start_realtime_ns;
    snprintf(later->name, sizeof later->name, "%s", file->name);
  }
  return 0;
}

/* When the process of this recording, to which nobody writes any more, was last known to record; 0: that is not told.
 */
static uint64_t end_of(const struct fmt_rec_header *header)
{
  const struct fmt_rec_clock_point *start = header->begun.ticks ? &header->begun : &header->start;
  if (memcmp(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) != 0 || header->flags & FMT_REC_MERGED ||
      header->last.monotonic_ns < start->monotonic_ns)
    return 0;
  return header->start_realtime_ns + (header->last.monotonic_ns - start->monotonic_ns);
}

static bool is_link(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

void cli_later_runs_tell(const char *command, const char *path)
{
  char whole[PATH_MAX];
  struct fmt_rec_header header;
  if (!realpath(path, whole))
    return;
  int file = cli_recording_open(AT_FDCWD, whole, &header);
  if (file < 0)
    return;
  struct stat status = {0};
  struct later later = {.run = header.run, .ended = cli_recording_is_locked(file) ? 0 : end_of(&header)};
  if (fstat(file, &status) != 0)
    later.ended = 0;
  later.owner = status.st_uid;
  close(file);
  if (later.ended == 0 || cli_child_files_each(whole, look, &later) < 0 || later.count == 0)
    return;
  /* Where a link leads elsewhere they lie there, and not beside the link. */
  const char *beside = is_link(path) ? whole : path;
  const int folder = (int)(strrchr(beside, '/') ? strrchr(beside, '/') + 1 - beside : 0);
  if (later.count == 1)
    cli_error("%s: %s is not the last run: %.*s%s began when it had ended, and kept clear of its name", command, path,
              folder, beside, later.name);
  else
    cli_error(
        "%s: %s is not the last run: %u recordings beside it began when it had ended, and kept clear of its name, "
        "%.*s%s the last",
        command, path, later.count, folder, beside, later.name);
}
