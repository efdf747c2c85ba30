/* Stamps a run's recording when the program has ended, and counts those of its children. */
#include "cli/run/recording_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "format/recording.h"
#include "output/recording/seal.h"

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

/* "PID" or "PID.N", digits alone. */
static bool is_child_suffix(const char *text)
{
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || text[digits] == '\0')
    return digits != 0;
  text += digits + 1;
  return text[-1] == '.' && text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

typedef void child_fn(int folder, const char *name, const struct fmt_rec_header *header, void *data);

/* Visits the recordings PATH.PID and PATH.PID.N of this run. 0, or a negative errno when the folder cannot be read. */
static int each_child(const struct cli_recording_place *place, child_fn *visit, void *data)
{
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%s", place->path);
  const char *base = strrchr(place->path, '/') + 1;
  size_t base_length = strlen(base);
  DIR *folder = opendir(dirname(copy));
  if (folder == NULL)
    return -errno;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *name = entry->d_name;
    if (strncmp(name, base, base_length) != 0 || name[base_length] != '.' || !is_child_suffix(name + base_length + 1))
      continue;
    struct fmt_rec_header header;
    int fd = cli_recording_open(dirfd(folder), name, &header);
    if (fd < 0)
      continue;
    if (memcmp(header.magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) == 0 && header.run == place->run)
      visit(dirfd(folder), name, &header, data);
    close(fd);
  }
  closedir(folder);
  return 0;
}

/* When a process, whose recording this is, executed another program that was recorded too. */
struct executed {
  const struct fmt_rec_header *header;
  struct fmt_rec_clock_point *when; /* the end that is known so far */
};

static void look_for_executed(int folder, const char *name, const struct fmt_rec_header *header, void *data)
{
  const struct executed *executed = data;
  (void)folder;
  (void)name;
  if (header->pid == executed->header->pid && header->clock == executed->header->clock &&
      header->start.ticks >= executed->header->start.ticks && header->start.ticks < executed->when->ticks)
    *executed->when = header->start;
}

int cli_recording_stamp(const struct cli_recording_place *place, pid_t pid, int status)
{
  struct fmt_rec_header header, *mapped;
  int error = cli_recording_place_header(place, &header);
  if (error < 0)
    return error;
  if (header.version != FMT_RECORDING_VERSION || header.header_size != sizeof header)
    return -EINVAL;
  if (header.pid != (uint32_t)pid)
    return -ESRCH;
  mapped = mmap(NULL, sizeof header, PROT_READ | PROT_WRITE, MAP_SHARED, place->fd, 0);
  if (mapped == MAP_FAILED)
    return -errno;

  struct fmt_rec_clock_point now;
  if (!(mapped->flags & FMT_REC_FINISHED) && read_clock(mapped->clock, &now)) {
    each_child(place, look_for_executed, &(struct executed){&header, &now});
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

bool cli_recording_is_full(const struct cli_recording_place *place)
{
  struct fmt_rec_header header;
  return cli_recording_place_header(place, &header) == 0 && header.flags & FMT_REC_FULL;
}

void cli_recording_seal(const struct cli_recording_place *place)
{
  if (cli_recording_is_full(place))
    out_seal_file(place->fd);
  else
    callsig_stats_seal(place->fd, place->path);
}

/* Where it cannot be sealed, it stays as its process left it. */
static void seal_child(int folder, const char *name)
{
  int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return;
  callsig_stats_seal(fd, name);
  close(fd);
}

static void seal_each(int folder, const char *name, const struct fmt_rec_header *header, void *data)
{
  (void)header;
  seal_child(folder, name);
  ++*(int *)data;
}

int cli_recording_seal_children(const struct cli_recording_place *place)
{
  int count = 0, error = each_child(place, seal_each, &count);
  return error < 0 ? error : count;
}
