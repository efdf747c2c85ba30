/* Takes the place of a run's recording and holds it by a lock, so that no other run takes it away. */
#include "cli/run/recording_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/subcommand.h"

#define ATTEMPTS  100  /* while others take the same place, each of whom holds it for a moment */
#define MODE      0600 /* of a recording */
#define LAID_SIZE 4096 /* of an empty recording: the header's page */

/* What lies in a place that was taken: a header of zeroes but for the run's number and the process that came for it; or
 * a header that was being filled in when its process was killed. */
static bool is_begun(const struct fmt_rec_header *header)
{
  struct fmt_rec_header empty = {.run = header->run, .pid = header->pid};
  if (header->run != 0 && memcmp(header, &empty, sizeof empty) == 0)
    return true;
  return memcmp(header->magic, empty.magic, sizeof empty.magic) == 0 && header->version == FMT_RECORDING_VERSION &&
         header->header_size >= FMT_REC_HEADER_LEAST;
}

int cli_recording_open(int folder, const char *path, struct fmt_rec_header *header)
{
  *header = (struct fmt_rec_header){0};
  int fd = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return -errno;
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && pread(fd, header, sizeof *header, 0) >= 0)
    return fd;
  close(fd);
  return -EINVAL;
}

bool cli_recording_is_locked(int fd)
{
  return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/* Is it a recording, or the beginning of one? */
static bool is_recording(int fd, const struct fmt_rec_header *header)
{
  struct stat status;
  return memcmp(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) == 0 || is_begun(header) ||
         (fstat(fd, &status) == 0 && status.st_size == 0);
}

/* Splits `path` and resolves its folder. */
static int make_absolute(const char *path, char absolute[PATH_MAX])
{
  char folder[PATH_MAX], base[PATH_MAX], resolved[PATH_MAX];
  size_t length = strlen(path);
  if (length >= PATH_MAX)
    return -ENAMETOOLONG;
  if (length == 0 || path[length - 1] == '/')
    return -EISDIR;
  memcpy(folder, path, length + 1);
  memcpy(base, path, length + 1);
  if (realpath(dirname(folder), resolved) == NULL || access(resolved, W_OK | X_OK) != 0)
    return -errno;
  int written = snprintf(absolute, PATH_MAX, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, basename(base));
  return written >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Does the path still lead to this file? */
static bool lies_at(int fd, const char *path)
{
  struct stat file, there;
  return fstat(fd, &file) == 0 && lstat(path, &there) == 0 && file.st_ino == there.st_ino &&
         file.st_dev == there.st_dev;
}

/* Is it a recording that somebody writes, or awaits? Who holds it may be filling its header in. If not, its lock is
 * this process's, as far as the file system has locks. */
static bool is_held(int fd, const struct fmt_rec_header *header)
{
  return cli_recording_is_locked(fd) && (header->magic[0] == '\0' || is_recording(fd, header));
}

bool cli_recording_is_held(const char *path)
{
  struct fmt_rec_header header;
  int fd = cli_recording_open(AT_FDCWD, path, &header);
  const bool held = fd >= 0 && is_held(fd, &header);
  if (fd >= 0)
    close(fd);
  return held;
}

/* Looks at the older recording at `path`, and removes it if `removes`: who only looks takes no lock, which would
 * be in the way of who removes it. Only who has its lock does, so that it is what was looked at that goes.
 * Returns 0, also when another did it meanwhile; -EBUSY when somebody holds it; or a negative errno after a message. */
static int remove_older(const char *shown, const char *path, uint32_t *writer, bool removes)
{
  struct fmt_rec_header header;
  int fd = cli_recording_open(AT_FDCWD, path, &header);
  if (fd == -ENOENT)
    return 0;
  int error = fd < 0 ? fd : 0;
  if (error == 0 && removes && is_held(fd, &header)) {
    *writer = header.pid;
    error = -EBUSY;
  } else if (error != 0 || !is_recording(fd, &header)) {
    error = -EINVAL;
    cli_error("%s: exists and is not a recording, so it is left alone; choose another place with -o", shown);
  } else if (removes && lies_at(fd, path) && unlink(path) != 0 && errno != ENOENT) {
    error = -errno;
    cli_error("%s: the older recording cannot be replaced: %s; choose another place with -o", shown, strerror(-error));
  }
  if (fd >= 0)
    close(fd);
  return error;
}

int cli_recording_make_way(const char *path, bool removes)
{
  uint32_t writer = 0;
  int error = remove_older(path, path, &writer, removes);
  if (error == -EBUSY)
    cli_error("%s: a program still records there; choose another place with -o", path);
  return error;
}

/* Why `written` bytes, or -1 with errno, were written of so many: the rest tells. */
static int why_short(int fd, const void *bytes, size_t size, ssize_t written)
{
  if (written >= 0)
    written = write(fd, (const char *)bytes + written, size - (size_t)written);
  return written < 0 ? -errno : -ENOSPC;
}

/* Lays an empty recording into the free place and locks it. Returns 0; -EEXIST when the place is not free, or not for
 * long: then another is to be tried; or another negative errno. */
static int lay_empty(struct cli_recording_place *place)
{
  /* So that the program may map it. */
  static union {
    struct fmt_rec_header header;
    char page[LAID_SIZE];
  } empty;
  empty.header.run = place->run;
  int fd = open(place->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
  if (fd < 0)
    return -errno;
  int error = 0;
  /* The program opens it by its name, whatever the umask leaves out. Not every file system has modes. */
  (void)fchmod(fd, MODE);
  /* On a file system without locks the place is held by its number alone. */
  ssize_t written = 0;
  if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    error = -EEXIST;
  else if (!lies_at(fd, place->path))
    error = -EEXIST;
  else if ((written = write(fd, &empty, sizeof empty)) != (ssize_t)sizeof empty)
    error = why_short(fd, &empty, sizeof empty, written);
  if (error == 0) {
    place->fd = fd;
    return 0;
  }
  if (error != -EEXIST)
    unlink(place->path);
  close(fd);
  return error;
}

int cli_recording_place_take(const char *path, struct cli_recording_place *place, uint32_t *writer)
{
  place->fd = -1;
  while (place->run == 0)
    if (getrandom(&place->run, sizeof place->run, 0) < 0)
      place->run = (uint64_t)getpid() << 32 | (uint64_t)time(NULL);
  int error = make_absolute(path, place->path);
  for (int i = 0; error == 0 && i < ATTEMPTS; i++) {
    error = remove_older(path, place->path, writer, true);
    if (error != 0)
      return error;
    error = lay_empty(place);
    if (error != -EEXIST)
      break;
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
    error = 0;
  }
  if (error == 0 && place->fd < 0)
    error = -EBUSY;
  else if (error < 0)
    cli_error("%s: the recording cannot be made there: %s; choose a place with -o", path, strerror(-error));
  return error;
}

int cli_recording_place_header(const struct cli_recording_place *place, struct fmt_rec_header *header)
{
  if (!lies_at(place->fd, place->path))
    return -ESTALE;
  ssize_t length = pread(place->fd, header, sizeof *header, 0);
  if (length < 0)
    return -errno;
  bool recorded = length == (ssize_t)sizeof *header && memcmp(header->magic, FMT_RECORDING_MAGIC, 8) == 0 &&
                  header->run == place->run;
  return recorded ? 0 : -ENOENT;
}

bool cli_recording_place_claimed(const struct cli_recording_place *place)
{
  struct fmt_rec_header header;
  return pread(place->fd, &header, sizeof header, 0) == (ssize_t)sizeof header && header.run == place->run &&
         header.pid != 0;
}

bool cli_recording_place_was_cut(const struct cli_recording_place *place)
{
  struct stat there;
  return fstat(place->fd, &there) == 0 && there.st_size < LAID_SIZE;
}

int cli_recording_place_hand_over(const struct cli_recording_place *place)
{
  char run[24];
  snprintf(run, sizeof run, "%" PRIu64, place->run);
  int error = cli_environment_set("CALLSIG_OUTPUT", place->path);
  return error == 0 ? cli_environment_set("CALLSIG_RUN", run) : error;
}

void cli_recording_place_leave(struct cli_recording_place *place)
{
  struct fmt_rec_header header;
  if (place->fd < 0)
    return;
  if (cli_recording_place_header(place, &header) == -ENOENT)
    unlink(place->path);
  close(place->fd);
  place->fd = -1;
}
