/* Writes a file under another name, and renames it when it is whole. */
#define _GNU_SOURCE
#include "output/text/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/text/message.h"

static int fail(const char *path, int error)
{
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

/* A new file beside `path`, hidden, so that a part of it that is left by a kill is not among `path`*. mkostemp makes it
 * 0600. */
static int open_beside(struct out_output_file *file)
{
  size_t size = strlen(file->path) + sizeof "..XXXXXX";
  const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
  file->temporary = malloc(size);
  if (!file->temporary)
    return -ENOMEM;
  snprintf(file->temporary, size, "%.*s.%s.XXXXXX", (int)(name - file->path), file->path, name);
  int descriptor = mkostemp(file->temporary, O_CLOEXEC);
  if (descriptor < 0)
    return -errno;
  int result = open_stream(file, descriptor);
  if (result)
    unlink(file->temporary);
  return result;
}

static int open_directly(struct out_output_file *file)
{
  int descriptor = open(file->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
  return descriptor < 0 ? -errno : open_stream(file, descriptor);
}

int out_output_file_open(struct out_output_file *file, const char *path)
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

int out_output_file_close(struct out_output_file *file, int result)
{
  int reason = result == -EIO && ferror(file->stream) && errno ? -errno : result;
  errno = 0;
  int ended = fclose(file->stream) == 0 ? 0 : -(errno ? errno : EIO);
  if (result == 0)
    reason = ended;
  if (reason == 0 && file->temporary && rename(file->temporary, file->path) != 0)
    reason = -errno;
  if (file->temporary && reason < 0)
    unlink(file->temporary);
  free(file->temporary);
  file->temporary = NULL;
  return reason < 0 && (result == 0 || result == -EIO) ? fail(file->path, reason) : reason;
}
