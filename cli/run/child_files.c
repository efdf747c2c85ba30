/* Finds the recordings of a run's processes beside its own. */
#include "cli/run/child_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/run/recording_place.h"

bool cli_child_files_is_name(const char *name, const char *base)
{
  const size_t length = strlen(base);
  if (strncmp(name, base, length) != 0 || name[length] != '.')
    return false;
  name += length + 1;
  size_t digits = strspn(name, "0123456789");
  if (digits == 0 || name[digits] == '\0')
    return digits != 0;
  name += digits + 1;
  return name[-1] == '.' && name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
}

static bool is_recording(const struct fmt_rec_header *header)
{
  return memcmp(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) == 0;
}

/* Visits what lies under the name, if it is the recording of the process that the name tells. */
static int visit_name(int folder, const char *name, size_t base_length,
                      int (*visit)(const struct cli_child_file *file, void *data), void *data)
{
  struct fmt_rec_header header;
  int fd = cli_recording_open(folder, name, &header), result = 0;
  if (fd < 0)
    return fd == -EMFILE || fd == -ENFILE ? fd : 0;
  if (is_recording(&header) && !(header.flags & FMT_REC_MERGED) &&
      strtoul(name + base_length + 1, NULL, 10) == header.pid) {
    const struct cli_child_file file = {
        .folder = folder, .name = name, .fd = fd, .has_ended = flock(fd, LOCK_EX | LOCK_NB) == 0, .header = &header};
    /* What a process wrote between the reading of the header and its end. */
    if (!file.has_ended || pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header)
      result = visit(&file, data);
  }
  close(fd);
  return result;
}

int cli_child_files_each(const char *path, int (*visit)(const struct cli_child_file *file, void *data), void *data)
{
  char folder_path[PATH_MAX];
  const char *base = strrchr(path, '/') + 1;
  snprintf(folder_path, sizeof folder_path, "%.*s", (int)(base - path), path);
  DIR *folder = opendir(folder_path);
  if (folder == NULL)
    return -errno;
  int result = 0;
  for (struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;)
    if (cli_child_files_is_name(entry->d_name, base))
      result = visit_name(dirfd(folder), entry->d_name, strlen(base), visit, data);
  closedir(folder);
  return result;
}

static int remove_file(const struct cli_child_file *file, void *data)
{
  const uint64_t *run = data;
  if (file->has_ended && file->header->run != 0 && file->header->run != *run)
    unlinkat(file->folder, file->name, 0);
  return 0;
}

void cli_child_files_remove_older(const char *path, uint64_t run)
{
  char family[PATH_MAX];
  struct fmt_rec_header header;
  const uint32_t flags = FMT_REC_MERGED | FMT_REC_FAMILY;
  cli_child_files_each(path, remove_file, &run);
  if ((size_t)snprintf(family, sizeof family, "%s" CLI_FAMILY_SUFFIX, path) >= sizeof family)
    return;
  int fd = cli_recording_open(AT_FDCWD, family, &header);
  if (fd >= 0 && is_recording(&header) && (header.flags & flags) == flags && header.run != run)
    unlink(family);
  if (fd >= 0)
    close(fd);
}
