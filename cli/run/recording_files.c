/* Makes way for a run's recording, stamps it when the program has ended, and counts those of its children. */
#include "cli/run/recording_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "format/recording.h"

/* Opens the regular file at `path`, never through a link, and reads its header. Returns the descriptor, or a negative
 * errno: -EINVAL when it is not a recording of this version. An empty file has a header of zeroes when `allow_empty`.
 */
static int open_recording(int folder, const char *path, int flags, bool allow_empty, struct fmt_rec_header *header)
{
  *header = (struct fmt_rec_header){0};
  int fd = openat(folder, path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return -errno;
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    ssize_t length = pread(fd, header, sizeof *header, 0);
    bool is_recording = length == (ssize_t)sizeof *header && memcmp(header->magic, FMT_RECORDING_MAGIC, 8) == 0;
    if (is_recording || (allow_empty && status.st_size == 0))
      return fd;
  }
  close(fd);
  return -EINVAL;
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

int cli_recording_place(const char *path, char absolute[PATH_MAX])
{
  int error = make_absolute(path, absolute);
  if (error < 0) {
    cli_error("run: %s: the recording cannot be made there: %s; choose a place with -o", path, strerror(-error));
    return error;
  }
  struct fmt_rec_header header;
  int fd = open_recording(AT_FDCWD, absolute, O_RDONLY, true, &header);
  if (fd == -ENOENT)
    return 0;
  if (fd < 0) {
    cli_error("run: %s: exists and is not a recording, so it is left alone; choose another place with -o", path);
    return fd;
  }
  close(fd);
  return 0;
}

int cli_recording_make_way(const char *path, const char *absolute)
{
  if (unlink(absolute) == 0 || errno == ENOENT)
    return 0;
  int error = errno;
  cli_error("run: %s: the older recording cannot be replaced: %s; choose another place with -o", path, strerror(error));
  return -error;
}

/* Now, on the recording's clock. False for clocks that only the program itself could read. */
static bool read_clock(uint32_t clock, struct fmt_rec_clock_point *now)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  now->monotonic_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  if (clock == FMT_CLOCK_MONOTONIC)
    now->ticks = now->monotonic_ns;
#if defined(__x86_64__)
  else if (clock == FMT_CLOCK_TSC)
    now->ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  else if (clock == FMT_CLOCK_TSC)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now->ticks));
#endif
  else
    return false;
  return true;
}

int cli_recording_stamp(const char *path, pid_t pid, int status)
{
  struct fmt_rec_header header;
  int fd = open_recording(AT_FDCWD, path, O_RDWR, false, &header);
  if (fd < 0)
    return fd;
  int error = 0;
  struct fmt_rec_header *mapped = MAP_FAILED;
  if (header.version != FMT_RECORDING_VERSION || header.header_size != sizeof header)
    error = -EINVAL;
  else if (header.pid != (uint32_t)pid)
    error = -ESRCH;
  else
    mapped = mmap(NULL, sizeof header, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (error == 0 && mapped == MAP_FAILED)
    error = -errno;
  close(fd);
  if (error < 0)
    return error;

  struct fmt_rec_clock_point now;
  if (!(mapped->flags & FMT_REC_FINISHED) && read_clock(mapped->clock, &now)) {
    /* An odd sequence was left by a process that was killed while it wrote: it is made even again. */
    uint32_t sequence = mapped->last_sequence | 1u;
    __atomic_store_n(&mapped->last_sequence, sequence, __ATOMIC_RELEASE);
    mapped->last = now;
    __atomic_store_n(&mapped->last_sequence, sequence + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&mapped->exit_status, status, __ATOMIC_RELEASE);
  munmap(mapped, sizeof header);
  return 0;
}

/* "PID" or "PID.N", digits alone. */
static bool is_child_suffix(const char *text)
{
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || text[digits] == '\0')
    return digits != 0;
  text += digits + 1;
  return text[-1] == '.' && text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

int cli_recording_count_children(const char *path, uint64_t since_ns)
{
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%s", path);
  const char *base = strrchr(path, '/') + 1;
  size_t base_length = strlen(base);
  DIR *folder = opendir(dirname(copy));
  if (folder == NULL)
    return -errno;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *name = entry->d_name;
    if (strncmp(name, base, base_length) != 0 || name[base_length] != '.' || !is_child_suffix(name + base_length + 1))
      continue;
    struct fmt_rec_header header;
    int fd = open_recording(dirfd(folder), name, O_RDONLY, false, &header);
    if (fd < 0)
      continue;
    close(fd);
    if (header.start_realtime_ns >= since_ns)
      count++;
  }
  closedir(folder);
  return count;
}
