/* Finds the recording that a process writes among the files that it has mapped. */
#include "cli/common/process_recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/maps_line.h"
#include "cli/common/recordings.h"
#include "cli/common/subcommand.h"
#include "format/recording.h"

unsigned cli_process_number_inside(unsigned long pid)
{
  char path[64], line[256];
  unsigned inside = (unsigned)pid;
  snprintf(path, sizeof path, "/proc/%lu/status", pid);
  FILE *status = fopen(path, "re");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, "NSpid:", 6) == 0)
      for (char *next = line + 6, *end; inside = (unsigned)strtoul(next, &end, 10), *end == '\t';)
        next = end + 1;
  if (status != NULL)
    fclose(status);
  return inside;
}

/* The header of a recording: 0; -EACCES when the file is not this user's to read; or -ENOENT: it is none. */
static int read_header(const char *file, int flags, struct fmt_rec_header *header)
{
  struct stat status;
  /* What a process has mapped may be a device, which opening may change. */
  const bool is_there = fstatat(AT_FDCWD, file, &status, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0) == 0;
  if (is_there && !S_ISREG(status.st_mode))
    return -ENOENT;
  int fd = is_there ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags) : -1;
  if (fd < 0)
    return errno == EACCES || errno == EPERM ? -EACCES : -ENOENT;
  const bool is_one = pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
                      memcmp(header->magic, FMT_RECORDING_MAGIC, sizeof header->magic) == 0;
  close(fd);
  return is_one ? 0 : -ENOENT;
}

bool cli_recording_header(const char *path, struct fmt_rec_header *header)
{
  return read_header(path, O_NOFOLLOW, header) == 0;
}

bool cli_recording_is_off(const char *path)
{
  struct fmt_rec_header header;
  return read_header(path, 0, &header) == 0 && header.is_off != 0;
}

/* Takes the recording that a line of the process's maps tells of, if it is one, and that process's own. 0; -EACCES when
 * the file is not this user's to read; or -ENOENT. */
static int take_mapped(unsigned long pid, const char *line, unsigned inside, char path[PATH_MAX])
{
  char file[PATH_MAX];
  struct fmt_rec_header header;
  if (strstr(line, "s ") == NULL || !cli_maps_line_path((pid_t)pid, line, file))
    return -ENOENT;
  int error = read_header(file, O_NOFOLLOW, &header);
  if (error < 0 || header.pid != inside)
    return error < 0 ? error : -ENOENT;
  strcpy(path, file);
  return 0;
}

static bool is_same_file(const char *one, const char *other)
{
  struct stat first, second;
  return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/* Of `callsig run`, which `$!` of a shell is: the recording of the program that it runs, which it has open. 0 or
 * -ENOENT. */
static int take_of_run(unsigned long pid, char path[PATH_MAX])
{
  char link[64];
  struct fmt_rec_header header;
  snprintf(link, sizeof link, "/proc/%lu/exe", pid);
  if (!is_same_file(link, "/proc/self/exe"))
    return -ENOENT;
  snprintf(link, sizeof link, "/proc/%lu/fd", pid);
  DIR *folder = opendir(link);
  int found = -ENOENT;
  for (const struct dirent *entry; folder != NULL && found != 0 && (entry = readdir(folder)) != NULL;) {
    ssize_t length = entry->d_name[0] == '.' ? -1 : readlinkat(dirfd(folder), entry->d_name, path, PATH_MAX - 1);
    if (length <= 0 || path[0] != '/')
      continue;
    path[length] = '\0';
    found = read_header(path, O_NOFOLLOW, &header) == 0 ? 0 : -ENOENT;
  }
  if (folder != NULL)
    closedir(folder);
  return found;
}

int cli_process_recording(const char *name, char path[PATH_MAX])
{
  char *line = NULL;
  size_t room = 0;
  const unsigned long pid = strtoul(name, NULL, 10);
  snprintf(path, PATH_MAX, "/proc/%lu/maps", pid);
  FILE *maps = pid > 0 && pid <= INT_MAX ? fopen(path, "re") : NULL;
  if (maps == NULL)
    return pid > 0 && pid <= INT_MAX && (errno == EACCES || errno == EPERM) ? -EACCES : -ESRCH;
  const unsigned inside = cli_process_number_inside(pid);
  int found = -ENOENT;
  bool is_foreign = false;
  errno = 0;
  while (found != 0 && getline(&line, &room, maps) > 0) {
    found = take_mapped(pid, line, inside, path);
    is_foreign |= found == -EACCES;
  }
  /* Of a process that may not be looked into the file is there, and reading it fails. */
  is_foreign |= ferror(maps) && (errno == EACCES || errno == EPERM);
  free(line);
  fclose(maps);
  return found == 0 || take_of_run(pid, path) == 0 ? 0 : is_foreign ? -EACCES : -ENOENT;
}

static bool is_number(const char *text)
{
  return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

static bool is_there(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0;
}

int cli_recording_find(const char *command, const char *what, char path[PATH_MAX])
{
  const char *name = what ? what : CLI_DEFAULT_RECORDING;
  if (what && is_number(what) && !is_there(what)) {
    int found = cli_process_recording(what, path);
    if (found == -ESRCH)
      cli_error("%s: there is no process %s", command, what);
    else if (found < 0)
      cli_error("%s: process %s records nothing that can be seen: is it profiled, and yours?", command, what);
    return found < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
  }
  if (strlen(name) >= PATH_MAX) {
    cli_error("%s: %s: %s", command, name, strerror(ENAMETOOLONG));
    return CLI_EXIT_FAILURE;
  }
  if (!is_there(name)) {
    cli_error("%s: %s: %s; name a recording or a process", command, name, strerror(errno));
    return CLI_EXIT_FAILURE;
  }
  strcpy(path, name);
  return CLI_EXIT_OK;
}
