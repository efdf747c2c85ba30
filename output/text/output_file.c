/* Writes a file under another name, and renames it when it is whole. */
#define _GNU_SOURCE
#include "output/text/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/recording.h"
#include "output/text/message.h"

#define MOST_NAMES 100000u /* that are tried */
#define ATTEMPTS   100     /* while others hold the place, each of whom does for a moment */

/* The end of the name that a file has for a moment before it takes another's place: as long as "XXXXXX". */
#define PLACED "placed"

static int fail(const char *path, int error)
{
  if (error == -EBUSY)
    return out_stats_fail(error, "%s: is a recording that a program still writes; name another file", path);
  const char *advice =
      error == -ENOSPC || error == -EDQUOT ? "make room, or name a file elsewhere" : "name a file that can be written";
  return out_stats_fail(error, "%s: %s; %s", path, strerror(-error), advice);
}

/* Takes over the descriptor, which is closed when it fails. */
static int open_stream(struct out_output_file *file, int descriptor)
{
  file->stream = fdopen(descriptor, "w");
  if (file->stream)
    return 0;
  int result = -errno;
  close(descriptor);
  return result;
}

#define OWN_DESCRIPTOR "/proc/self/fd/%d"

/* A new file without a name in the folder that the temporary name is in, so that nothing is left of it by a kill: the
 * descriptor, or a negative errno where the file system has no such files, or they cannot be named later. */
static int open_unnamed(const struct out_output_file *file)
{
  const char *slash = strrchr(file->temporary, '/');
  char *folder = slash ? strndup(file->temporary, (size_t)(slash - file->temporary) + 1) : strdup(".");
  if (!folder)
    return -ENOMEM;
  int descriptor = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, S_IRUSR | S_IWUSR);
  int result = descriptor < 0 ? -errno : descriptor;
  free(folder);
  char own[sizeof OWN_DESCRIPTOR + 12];
  snprintf(own, sizeof own, OWN_DESCRIPTOR, descriptor);
  if (descriptor >= 0 && access(own, F_OK) != 0) {
    result = -errno;
    close(descriptor);
  }
  return result;
}

/* A new file beside `path`: without a name until it is whole, or else hidden, so that a part of it that is left by a
 * kill is not among `path`*. It is 0600. */
static int open_beside(struct out_output_file *file)
{
  size_t size = strlen(file->path) + sizeof "..XXXXXX";
  const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
  file->temporary = malloc(size);
  if (!file->temporary)
    return -ENOMEM;
  snprintf(file->temporary, size, "%.*s.%s.XXXXXX", (int)(name - file->path), file->path, name);
  int descriptor = open_unnamed(file);
  file->is_unnamed = descriptor >= 0;
  if (descriptor < 0)
    descriptor = mkostemp(file->temporary, O_CLOEXEC);
  if (descriptor < 0)
    return -errno;
  int result = open_stream(file, descriptor);
  if (result && !file->is_unnamed)
    unlink(file->temporary);
  return result;
}

/* Gives what is written a name. 0, or a negative errno: -EEXIST where another file has it. */
static int link_file(const struct out_output_file *file, const char *name)
{
  char own[sizeof OWN_DESCRIPTOR + 12];
  snprintf(own, sizeof own, OWN_DESCRIPTOR, fileno(file->stream));
  return linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

/* Keeps others from taking the file for one that nobody writes any more, while it is open. It is no lock that those
 * know of who read recordings. */
static bool hold(int descriptor)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

/* Removes what a kill left between two steps of put_in_place(). Whoever holds it is the only one who may. */
static void remove_left(const char *name)
{
  struct stat opened, named;
  int descriptor = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  if (fstat(descriptor, &opened) == 0 && S_ISREG(opened.st_mode) && hold(descriptor) && lstat(name, &named) == 0 &&
      named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
    unlink(name);
  close(descriptor);
}

/* Gives what is written the temporary name, which no other file has: the same each time, so that what a kill leaves
 * goes with the next, unless somebody else has it. 0, or a negative errno. */
static int name_file(const struct out_output_file *file)
{
  char *end = file->temporary + strlen(file->temporary) - strlen("XXXXXX");
  int error = -EEXIST;
  if (hold(fileno(file->stream))) {
    memcpy(end, PLACED, sizeof PLACED);
    remove_left(file->temporary);
    error = link_file(file, file->temporary);
  }
  for (unsigned number = (unsigned)getpid(), tries = 0; error == -EEXIST && tries < MOST_NAMES; number++, tries++) {
    snprintf(end, sizeof "XXXXXX", "%06x", number & 0xffffffu);
    error = link_file(file, file->temporary);
  }
  return error;
}

/* What a file begins with: the bytes of a recording's mark that it has, or a negative number. */
static ssize_t read_mark(int descriptor, char mark[static sizeof FMT_RECORDING_MAGIC])
{
  return pread(descriptor, mark, sizeof FMT_RECORDING_MAGIC, 0);
}

static bool is_mark(const char *mark, ssize_t length)
{
  return length == (ssize_t)sizeof FMT_RECORDING_MAGIC && memcmp(mark, FMT_RECORDING_MAGIC, (size_t)length) == 0;
}

/* A recording, or the place of one that is awaited. */
static bool is_recording(int descriptor)
{
  char mark[sizeof FMT_RECORDING_MAGIC] = {0};
  const ssize_t length = read_mark(descriptor, mark);
  return length == 0 || (length > 0 && mark[0] == '\0') || is_mark(mark, length);
}

static bool is_blocked(int descriptor, int lock)
{
  return flock(descriptor, lock | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/* Takes the lock of the file at `path`, so that nobody begins to record there before it is replaced: *held, -1 where
 * there is none to take. 0; -EBUSY where a recording is written or awaited there, whose lock is shared; or -EAGAIN:
 * something else lies there by now, or somebody replaces it at this moment. */
static int hold_place(const char *path, int *held)
{
  struct stat opened, named;
  int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error = 0;
  *held = -1;
  if (descriptor < 0)
    return 0;
  if (fstat(descriptor, &opened) != 0 || !S_ISREG(opened.st_mode) || !is_recording(descriptor)) {
    close(descriptor);
    return 0;
  }
  if (is_blocked(descriptor, LOCK_EX))
    error = is_blocked(descriptor, LOCK_SH) ? -EAGAIN : -EBUSY;
  else if (lstat(path, &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
    error = -EAGAIN;
  if (error == 0)
    *held = descriptor;
  else
    close(descriptor);
  return error;
}

/* Puts the file that has the temporary name in the place of what is there. */
static int replace(const struct out_output_file *file)
{
  const struct timespec moment = {.tv_nsec = 1000000};
  int held = -1, error = file->is_own_place ? 0 : hold_place(file->path, &held);
  for (unsigned i = 0; error == -EAGAIN && i < ATTEMPTS; i++) {
    nanosleep(&moment, NULL);
    error = hold_place(file->path, &held);
  }
  if (error == 0 && rename(file->temporary, file->path) != 0)
    error = -errno;
  if (error < 0)
    unlink(file->temporary);
  if (held >= 0)
    close(held);
  return error == -EAGAIN ? -EBUSY : error;
}

/* Gives what is written, and has no name yet, its path. Another file that is there stays until it is replaced, for
 * which this one has a name beside it for a moment. */
static int put_in_place(const struct out_output_file *file)
{
  int error = link_file(file, file->path);
  if (error != -EEXIST)
    return error;
  error = name_file(file);
  return error == 0 ? replace(file) : error;
}

static int open_directly(struct out_output_file *file)
{
  int descriptor = open(file->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
  return descriptor < 0 ? -errno : open_stream(file, descriptor);
}

/* Does a recording lie there, finished or not? */
static bool has_recording(const char *path)
{
  char mark[sizeof FMT_RECORDING_MAGIC] = {0};
  int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool has = descriptor >= 0 && is_mark(mark, read_mark(descriptor, mark));
  if (descriptor >= 0)
    close(descriptor);
  return has;
}

int out_output_file_open_recording(struct out_output_file *file, const char *path)
{
  *file = (struct out_output_file){.path = path};
  struct stat there;
  bool exists = lstat(path, &there) == 0;
  if (exists && S_ISLNK(there.st_mode))
    return out_stats_fail(-ELOOP, "%s: is a symbolic link, which is not followed; name the file itself", path);
  if (exists && S_ISDIR(there.st_mode))
    return out_stats_fail(-EISDIR, "%s: is a folder; name a file in it", path);
  int result = exists && !S_ISREG(there.st_mode) ? open_directly(file) : open_beside(file);
  if (result < 0) {
    free(file->temporary);
    file->temporary = NULL;
    return fail(path, result);
  }
  return 0;
}

int out_output_file_open(struct out_output_file *file, const char *path)
{
  *file = (struct out_output_file){.path = path};
  struct stat there;
  if (lstat(path, &there) == 0 && S_ISREG(there.st_mode) && has_recording(path))
    return out_stats_fail(-EEXIST, "%s: is a recording, so it is left alone; name another file", path);
  return out_output_file_open_recording(file, path);
}

int out_output_file_close(struct out_output_file *file, int result)
{
  int reason = result == -EIO && ferror(file->stream) && errno ? -errno : result;
  errno = 0;
  int ended = fflush(file->stream) == 0 ? 0 : -(errno ? errno : EIO);
  if (result == 0 && ended == 0 && file->is_unnamed)
    ended = put_in_place(file);
  errno = 0;
  if (fclose(file->stream) != 0 && ended == 0)
    ended = -(errno ? errno : EIO);
  if (result == 0)
    reason = ended;
  if (file->temporary && !file->is_unnamed && reason < 0)
    unlink(file->temporary);
  else if (file->temporary && !file->is_unnamed)
    reason = replace(file);
  free(file->temporary);
  file->temporary = NULL;
  return reason < 0 && (result == 0 || result == -EIO) ? fail(file->path, reason) : reason;
}
