/* Finds the recordings of a run beside its own. No lock of theirs is tried: who folds them when they end would take
 * that for a process that goes on. */
#include "cli/top/run_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/process_recording.h"
#include "cli/run/child_files.h"
#include "cli/run/recording_place.h"
#include "output/text/message.h"
#include "output/text/text.h"

#define MOST_TRIES 20u /* when files are folded while they are read */

bool cli_top_is_running(unsigned pid)
{
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  FILE *file = fopen(path, "re");
  const char *state = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  bool running = state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
  if (file)
    fclose(file);
  return running;
}

bool cli_top_goes_on(const char *path, unsigned pid)
{
  char whole[PATH_MAX];
  struct fmt_rec_header header;
  if (realpath(path, whole) != NULL && cli_recording_header(whole, &header) &&
      (header.seal != 0 || header.exit_status != -1 || header.flags & FMT_REC_FINISHED))
    return false;
  return cli_top_is_running(pid);
}

/* The number of the run that a recording is of; 0: of none. */
static uint64_t run_of(int folder, const char *name, unsigned *pid)
{
  struct fmt_rec_header header;
  const int fd = cli_recording_open(folder, name, &header);
  if (fd < 0)
    return 0;
  close(fd);
  *pid = header.pid;
  return memcmp(header.magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) == 0 ? header.run : 0;
}

/* Adds a recording that may be gone by now: -ENOENT, without a message. */
static int add_quietly(struct callsig_stats *stats, const char *path)
{
  struct out_text said = {0};
  out_stats_messages_into(&said);
  const int result = callsig_stats_add(stats, path);
  out_stats_messages_into(NULL);
  if (result < 0 && result != -ENOENT && !said.failed)
    out_stats_message("%s", out_text_string(&said));
  out_text_free(&said);
  return result;
}

/* Adds what lies under the name in the folder `at`, if it is of the run. `own`: the number of the run's own process. */
static int add_file(struct callsig_stats *stats, DIR *folder, const char *at, const char *name, uint64_t run,
                    unsigned own, unsigned *others)
{
  char path[PATH_MAX];
  unsigned pid = 0;
  if (run_of(dirfd(folder), name, &pid) != run || (size_t)snprintf(path, sizeof path, "%s%s", at, name) >= sizeof path)
    return 0;
  /* A process that executed another program has a recording of each. */
  *others += pid != 0 && pid != own && cli_top_is_running(pid);
  return add_quietly(stats, path);
}

/* Adds what lies beside the recording of the run's own process, whose name in the folder `at` is `base`. -ENOENT: some
 * of it went meanwhile. */
static int add_others(struct callsig_stats *stats, const char *at, const char *base, uint64_t run, unsigned own,
                      unsigned *others)
{
  char family[NAME_MAX + 32];
  unsigned folded = 0;
  struct stat before = {0}, after = {0};
  DIR *folder = opendir(at);
  if (!folder)
    return 0;
  snprintf(family, sizeof family, "%s" CLI_FAMILY_SUFFIX, base);
  fstatat(dirfd(folder), family, &before, AT_SYMLINK_NOFOLLOW);
  int result = add_file(stats, folder, at, family, run, own, &folded);
  for (struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;)
    if (cli_child_files_is_name(entry->d_name, base))
      result = add_file(stats, folder, at, entry->d_name, run, own, others);
  /* What was folded into another one since it was read is in neither. */
  fstatat(dirfd(folder), family, &after, AT_SYMLINK_NOFOLLOW);
  closedir(folder);
  return result == 0 && before.st_ino != after.st_ino ? -ENOENT : result;
}

int cli_top_load_run(const char *path, struct callsig_stats **stats, unsigned *others)
{
  const struct callsig_stats_options options = {.size = sizeof options, .now = 1};
  char whole[PATH_MAX], at[PATH_MAX];
  int result = -ENOENT;
  for (unsigned i = 0; i < MOST_TRIES && result == -ENOENT; i++) {
    unsigned pid = 0;
    *others = 0;
    result = callsig_stats_new(&options, stats);
    if (result == 0)
      result = callsig_stats_add(*stats, path);
    if (result < 0)
      return result;
    const uint64_t run = realpath(path, whole) ? run_of(AT_FDCWD, whole, &pid) : 0;
    if (run == 0)
      return 0;
    const char *base = strrchr(whole, '/') + 1;
    snprintf(at, sizeof at, "%.*s", (int)(base - whole), whole);
    result = add_others(*stats, at, base, run, pid, others);
    if (result == -ENOENT && i + 1 < MOST_TRIES) {
      callsig_stats_free(*stats);
      *stats = NULL;
    }
  }
  if (result != -ENOENT)
    return result;
  out_stats_message(
      "%s: processes of the run end faster than they can be read together: some of their calls are missing", path);
  return 0;
}
