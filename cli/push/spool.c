/* Keeps profiles that are to be sent. */
#include "cli/push/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/subcommand.h"

/* Of equal length, so that their order is that of time. */
#define NAME_FORMAT "%013" PRIu64 "-%013" PRIu64 ".pb.gz"
#define PART_NAME   ".part"

static int fail(const struct cli_spool *spool, const char *what, int error)
{
  cli_error("--spool: %s: %s: %s", spool->path, what, strerror(error));
  return -error;
}

int cli_spool_open(struct cli_spool *spool, const char *path)
{
  struct stat status;
  spool->passed = (struct base_vector)BASE_VECTOR_OF(struct cli_spooled);
  snprintf(spool->path, sizeof spool->path, "%s", path);
  if (mkdir(path, 0700) != 0 && errno != EEXIST)
    return fail(spool, "cannot be made", errno);
  spool->folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (spool->folder < 0)
    return fail(spool, "cannot be opened as a folder", errno);
  if (fstat(spool->folder, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    cli_spool_close(spool);
    return fail(spool, "others can reach it: make it yours alone (chmod 700)", EPERM);
  }
  if (flock(spool->folder, LOCK_EX | LOCK_NB) == 0)
    return 0;
  if (errno != EWOULDBLOCK) { /* a file system of another machine may have no locks */
    cli_error("--spool: %s: cannot be locked (%s): let no other command send from there", path, strerror(errno));
    return 0;
  }
  cli_spool_close(spool);
  return fail(spool, "another command sends from there", EWOULDBLOCK);
}

void cli_spool_close(struct cli_spool *spool)
{
  if (spool->folder >= 0)
    close(spool->folder);
  spool->folder = -1;
  base_vector_free(&spool->passed);
}

/* Is this one of ours? */
static bool read_entry(const struct cli_spool *spool, const char *name, struct cli_spooled *spooled)
{
  struct stat status;
  char again[sizeof spooled->name];
  char *end = NULL;
  if (strlen(name) >= sizeof spooled->name)
    return false;
  spooled->from_ms = strtoull(name, &end, 10);
  spooled->until_ms = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;
  snprintf(again, sizeof again, NAME_FORMAT, spooled->from_ms, spooled->until_ms);
  if (strcmp(again, name) != 0 || fstatat(spool->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode))
    return false;
  strcpy(spooled->name, name);
  spooled->bytes = (uint64_t)status.st_size;
  spooled->is_sent = false;
  return true;
}

static bool is_passed(const struct cli_spool *spool, const struct cli_spooled *spooled)
{
  for (uint32_t i = 0; i < spool->passed.count; i++)
    if (strcmp(((const struct cli_spooled *)base_vector_at(&spool->passed, i))->name, spooled->name) == 0)
      return true;
  return false;
}

/* The oldest profile, of all or of those that are not passed over, and the bytes of these. */
static int look(const struct cli_spool *spool, bool of_all, struct cli_spooled *oldest, uint64_t *bytes)
{
  int copy = openat(spool->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = copy < 0 ? NULL : fdopendir(copy);
  if (!folder) {
    const int error = errno;
    if (copy >= 0)
      close(copy);
    return fail(spool, "cannot be read", error);
  }
  bool found = false;
  *bytes = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct cli_spooled spooled;
    if (!read_entry(spool, entry->d_name, &spooled) || (!of_all && is_passed(spool, &spooled)))
      continue;
    *bytes += spooled.bytes;
    if (!found || strcmp(spooled.name, oldest->name) < 0)
      *oldest = spooled;
    found = true;
  }
  closedir(folder);
  return found;
}

int cli_spool_oldest(const struct cli_spool *spool, struct cli_spooled *oldest)
{
  uint64_t bytes;
  return look(spool, false, oldest, &bytes);
}

int cli_spool_pass_over(struct cli_spool *spool, const struct cli_spooled *spooled)
{
  struct cli_spooled *added = base_vector_add(&spool->passed, 1);
  if (added == NULL)
    return fail(spool, spooled->name, ENOMEM);
  *added = *spooled;
  return 0;
}

void cli_spool_remove_sent(const struct cli_spool *spool)
{
  for (uint32_t i = 0; i < spool->passed.count; i++) {
    const struct cli_spooled *spooled = base_vector_at(&spool->passed, i);
    if (spooled->is_sent)
      (void)unlinkat(spool->folder, spooled->name, 0);
  }
}

bool cli_spool_is_empty(const struct cli_spool *spool)
{
  struct cli_spooled oldest;
  uint64_t bytes;
  return look(spool, true, &oldest, &bytes) == 0;
}

int cli_spool_remove(const struct cli_spool *spool, const struct cli_spooled *spooled)
{
  return unlinkat(spool->folder, spooled->name, 0) == 0 ? 0 : fail(spool, spooled->name, errno);
}

/* Drops the oldest until `size` more bytes have room. */
static int make_room(const struct cli_spool *spool, size_t size)
{
  struct cli_spooled oldest = {0};
  uint64_t bytes = 0;
  int found;
  while ((found = look(spool, true, &oldest, &bytes)) > 0 && bytes + size > CLI_SPOOL_MOST_BYTES) {
    cli_error("--spool: %s: more than %" PRIu64 " bytes wait to be sent: the profile from %" PRIu64
              ".%03u on is dropped",
              spool->path, CLI_SPOOL_MOST_BYTES, oldest.from_ms / 1000, (unsigned)(oldest.from_ms % 1000));
    int error = cli_spool_remove(spool, &oldest);
    if (error < 0)
      return error;
  }
  return found < 0 ? found : 0;
}

static int write_all(int file, const char *data, size_t size)
{
  while (size > 0) {
    ssize_t done = write(file, data, size);
    if (done < 0 && errno != EINTR)
      return -errno;
    data += done > 0 ? done : 0;
    size -= done > 0 ? (size_t)done : 0;
  }
  return 0;
}

int cli_spool_add(const struct cli_spool *spool, uint64_t from_ms, uint64_t until_ms, const void *data, size_t size)
{
  char name[64];
  snprintf(name, sizeof name, NAME_FORMAT, from_ms, until_ms);
  if (size > CLI_SPOOL_MOST_BYTES)
    return fail(spool, "a profile cannot be kept there", EFBIG);
  int error = make_room(spool, size);
  if (error < 0)
    return error;
  if (unlinkat(spool->folder, PART_NAME, 0) != 0 && errno != ENOENT)
    return fail(spool, PART_NAME, errno);
  int file = openat(spool->folder, PART_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return fail(spool, "a profile cannot be kept there", errno);
  error = write_all(file, data, size);
  if (close(file) != 0 && error == 0)
    error = -errno;
  if (error == 0 && renameat(spool->folder, PART_NAME, spool->folder, name) != 0)
    error = -errno;
  if (error == 0)
    return 0;
  (void)unlinkat(spool->folder, PART_NAME, 0);
  return fail(spool, "a profile cannot be kept there", -error);
}

void *cli_spool_read(const struct cli_spool *spool, const struct cli_spooled *spooled)
{
  int file = openat(spool->folder, spooled->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  int error = file < 0 ? errno : 0;
  char *data = malloc(spooled->bytes + 1);
  size_t got = 0;
  if (!data)
    error = ENOMEM;
  while (error == 0 && got < spooled->bytes) {
    const ssize_t done = read(file, data + got, spooled->bytes - got);
    /* One that is shorter than it was is none that was written. */
    if (done <= 0)
      error = done < 0 ? errno : EIO;
    else
      got += (size_t)done;
  }
  if (file >= 0)
    close(file);
  if (error == 0)
    return data;
  (void)fail(spool, spooled->name, error);
  free(data);
  return NULL;
}
