/* Ranks that have ended make FILE anew, along a tree. */
#define _GNU_SOURCE
#include "cli/run/mpi_end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/common/recordings.h"
#include "cli/common/subcommand.h"
#include "format/mpi_state.h"

/* Ranks without a recording have an empty file. */
static bool has_calls(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

/* What a file without calls tells by its mode: a rank that recorded none, or one whose recording could not be taken
 * along. */
enum { NO_CALLS = 0600, GAVE_UP = 0400 };

/* Makes such a file, whatever the umask leaves out. 0 or a negative errno. */
static int make_empty(const char *path, mode_t mode)
{
  const int fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0)
    return -errno;
  const int error = fchmod(fd, mode) == 0 ? 0 : -errno;
  close(fd);
  return error;
}

/* Writes what the two have, of which the second may be NULL, as end->own. 0, or a negative errno after a message. */
static int merge(const struct cli_mpi_end *end, const char *one, const char *other)
{
  char *files[2];
  size_t count = 0;
  if (has_calls(one))
    files[count++] = (char *)one;
  if (other && has_calls(other))
    files[count++] = (char *)other;
  if (count == 0)
    return access(end->own, F_OK) == 0 ? 0 : make_empty(end->own, NO_CALLS);
  struct callsig_stats *stats = NULL;
  int error = callsig_stats_new(
      &(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options), .timeline = 1}, &stats);
  if (error == 0)
    error = cli_recordings_add(stats, files, count);
  if (error == 0 && end->folds)
    error = callsig_stats_fold_ranks(stats);
  if (error == 0)
    error = callsig_stats_dump(stats, end->own);
  callsig_stats_free(stats);
  return error;
}

static bool gave_up(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
         (status.st_mode & 0777) == GAVE_UP;
}

/* From here on this side brings nothing: the others leave nothing behind then, and FILE stays as it was. */
static int give_up(const struct cli_mpi_end *end)
{
  if (unlink(end->own) != 0 && errno != ENOENT)
    return -errno;
  return make_empty(end->own, GAVE_UP);
}

/* Moves a file to where nothing lies; -EEXIST: something does. */
static int move(const char *from, const char *to)
{
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL)
    return -errno;
  /* Not every file system can do that in one step. */
  if (link(from, to) != 0)
    return -errno;
  return unlink(from) == 0 ? 0 : -errno;
}

/* FOLDER/.FILE.NUMBER.WORD */
static bool name_node(const struct cli_mpi_end *end, uint64_t number, char path[PATH_MAX])
{
  const char *base = strrchr(end->joined, '/') + 1;
  const int length = snprintf(path, PATH_MAX, "%.*s.%s.%llu.%s", (int)(base - end->joined), end->joined, base,
                              (unsigned long long)number, FMT_MPI_NODE);
  return length > 0 && length < PATH_MAX;
}

/* Is it a file, and this user's? Ranks of a job leave nothing else, but others may who can write to the folder. */
static bool is_left_by_a_rank(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/* Meets the other side at a node. 1: it has been there, and this side has both; 0: it comes, and goes on with both; or
 * a negative errno, after a message where `said` is set. */
static int meet(const struct cli_mpi_end *end, uint64_t number, bool *said)
{
  char node[PATH_MAX];
  if (!name_node(end, number, node))
    return -ENAMETOOLONG;
  int error = move(end->own, node);
  if (error != -EEXIST)
    return error;
  if (rename(node, end->peer) != 0)
    return -errno;
  if (!is_left_by_a_rank(end->peer)) {
    cli_error("%s: was no file of this user's, in the place of what other ranks have recorded", node);
    *said = true;
    unlink(end->peer);
    return -EPERM;
  }
  error = gave_up(end->own) || gave_up(end->peer) ? give_up(end) : merge(end, end->own, end->peer);
  *said = error < 0;
  unlink(end->peer);
  return error < 0 ? error : 1;
}

/* Puts what this side has in FILE's place; 0, or a negative errno. */
static int arrive(const struct cli_mpi_end *end)
{
  if (gave_up(end->own))
    return unlink(end->own) == 0 ? 0 : -errno;
  return rename(end->own, end->joined) == 0 ? 0 : -errno;
}

/* Nodes have the numbers of a heap: the root is 1, and those below n are 2 n and 2 n + 1. Who fails goes on, with
 * nothing, to those that wait. */
static int climb(const struct cli_mpi_end *end, bool *said)
{
  unsigned levels = 0;
  int error = 0;
  while (UINT64_C(1) << levels < end->ranks)
    levels++;
  for (unsigned level = 0; level < levels; level++) {
    const uint64_t side = (uint64_t)end->rank >> level;
    /* No rank is on the other side. */
    if ((side ^ 1) << level >= end->ranks)
      continue;
    const int met = meet(end, (UINT64_C(1) << (levels - 1 - level)) + (side >> 1), said);
    if (met < 0 && error == 0)
      error = met;
    if (met == 0 || (met < 0 && give_up(end) < 0))
      return error;
  }
  const int arrived = arrive(end);
  return error < 0 ? error : arrived;
}

void cli_mpi_end_complete(struct cli_mpi_end *end)
{
  int error = merge(end, end->recording, NULL);
  bool said = error < 0;
  if (error == 0)
    error = climb(end, &said);
  else if (give_up(end) == 0)
    (void)climb(end, &said);
  if (error < 0 && !said)
    cli_error("%s: %s", end->joined, strerror(-error));
  if (error < 0)
    cli_error("%s has what ranks did until MPI_Finalize: the rest is in %s.rankN alone", end->joined, end->joined);
}
