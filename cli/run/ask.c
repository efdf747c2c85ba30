/* Finds a program that records, and asks it by its recording. */
#include "cli/run/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/process_recording.h"
#include "cli/common/subcommand.h"
#include "cli/idle/calls.h"
#include "format/sled_idle.h"

#define PAGE 4096u
/* Between two looks at the answer: a program that calls hooks answers at once. */
#define FIRST_LOOK_NS 20000u
#define LAST_LOOK_NS  2000000u
/* How long `callsig run` may take to put back what it took out: milliseconds for thousands of sleds. */
#define PUT_BACK_NS UINT64_C(3000000000)

/* ------------------------------------------------------------------------------------------------------------------ */

/* Who writes a recording holds a lock on it: the runtime, and `callsig run`. A file system without locks tells
 * nothing. */
static bool is_held(int fd)
{
  if (flock(fd, LOCK_EX | LOCK_NB) != 0)
    return true;
  flock(fd, LOCK_UN);
  return false;
}

/* Is the header still in the file? Where that was cut off, looking at the mapping would end this process. */
static bool is_whole(const struct cli_target *target)
{
  struct stat status;
  return fstat(target->fd, &status) == 0 && status.st_size >= (off_t)PAGE;
}

bool cli_target_has_ended(const struct cli_target *target)
{
  struct fmt_rec_header header;
  /* By reading: this is asked for as long as a program runs, and the file may be cut off at any time. */
  return pread(target->fd, &header, sizeof header, 0) != (ssize_t)sizeof header || header.seal != 0 ||
         header.exit_status != -1 || !is_held(target->fd);
}

int cli_target_take(int fd, struct cli_target *target)
{
  struct stat status;
  target->fd = fd;
  target->header = NULL;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < (off_t)PAGE)
    return -EINVAL;
  void *mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED)
    return -errno;
  target->header = mapped;
  if (memcmp(target->header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) != 0)
    return -EINVAL;
  if (target->header->version != FMT_RECORDING_VERSION || target->header->header_size < sizeof *target->header)
    return -ENOTSUP;
  return target->header->flags & FMT_REC_MERGED || cli_target_has_ended(target) ? -ESRCH : 0;
}

void cli_target_close(struct cli_target *target)
{
  if (target->header != NULL)
    munmap(target->header, PAGE);
  if (target->fd >= 0)
    close(target->fd);
  target->header = NULL;
  target->fd = -1;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Opens a recording that is this user's own. A negative errno after a message that begins with `name`. */
static int open_own(const char *name, const char *path)
{
  struct stat status;
  int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  int error = fd < 0 ? -errno : 0;
  const bool is_there = lstat(path, &status) == 0;
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid())
    return fd;
  if (fd >= 0)
    close(fd);
  if (is_there && S_ISLNK(status.st_mode))
    cli_error("ctl: %s: is a symbolic link, which is not followed: name the recording itself", name);
  else if (is_there && S_ISREG(status.st_mode) && status.st_uid != geteuid())
    cli_error("ctl: %s: belongs to another user, whose programs are not to be steered", name);
  else if (error == -ENOENT)
    cli_error("ctl: %s: %s; name a process by its number, or a recording", name, strerror(ENOENT));
  else if (error == -ETXTBSY)
    cli_error("ctl: %s: is a program that runs, not a recording: name its process by its number", name);
  else
    cli_error("ctl: %s: cannot be written: %s", name, strerror(error < 0 ? -error : EINVAL));
  return error < 0 ? error : -EPERM;
}

static int tell(const char *name, int error)
{
  if (error == -ESRCH)
    cli_error("ctl: %s: its program has ended, and takes no requests", name);
  else if (error == -ENOTSUP)
    cli_error("ctl: %s: written by another version of callsig, which takes no requests of this one", name);
  else if (error == -EINVAL)
    cli_error("ctl: %s: not a callsig recording", name);
  else if (error < 0)
    cli_error("ctl: %s: cannot be mapped: %s", name, strerror(-error));
  return error;
}

static int open_file(const char *path, struct cli_target *target)
{
  if (strlen(path) >= sizeof target->path) {
    cli_error("ctl: the path is longer than %zu bytes", sizeof target->path - 1);
    return -ENAMETOOLONG;
  }
  strcpy(target->path, path);
  int fd = open_own(path, path);
  return fd < 0 ? fd : tell(path, cli_target_take(fd, target));
}

static bool is_own_process(const char *name)
{
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%s", name);
  return stat(path, &status) == 0 && status.st_uid == geteuid();
}

static int open_process(const char *name, struct cli_target *target)
{
  int found = cli_process_recording(name, target->path);
  if (found == -ESRCH)
    cli_error("ctl: there is no process %s", name);
  else if (found == -EACCES && is_own_process(name))
    cli_error("ctl: process %s may not be looked into: the system forbids it", name);
  else if (found == -EACCES)
    cli_error("ctl: process %s belongs to another user, whose programs are not to be steered", name);
  else if (found < 0)
    cli_error("ctl: process %s has no recording: it has not called an instrumented function yet, or runs without "
              "callsig",
              name);
  if (found < 0)
    return found;
  int fd = open_own(target->path, target->path);
  return fd < 0 ? fd : tell(target->path, cli_target_take(fd, target));
}

int cli_target_open(const char *name, struct cli_target *target)
{
  *target = (struct cli_target){.fd = -1};
  const bool is_number = name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
  int error = is_number ? open_process(name, target) : open_file(name, target);
  if (error < 0)
    cli_target_close(target);
  return error;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sleeps a while, longer each time. */
static void pause_longer(uint32_t *ns)
{
  const struct timespec moment = {.tv_nsec = *ns};
  nanosleep(&moment, NULL);
  *ns = *ns * 2 < LAST_LOOK_NS ? *ns * 2 : LAST_LOOK_NS;
}

/* The part of the file that is locked by who asks: beside the lock that says who writes it. */
static struct flock requests_lock(short type)
{
  return (struct flock){.l_type = type,
                        .l_whence = SEEK_SET,
                        .l_start = offsetof(struct fmt_rec_header, request),
                        .l_len = sizeof(uint64_t)};
}

bool cli_target_try_lock(const struct cli_target *target)
{
  struct flock lock = requests_lock(F_WRLCK);
  /* A file system without locks has nothing to wait for. */
  return fcntl(target->fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

void cli_target_unlock(const struct cli_target *target)
{
  struct flock lock = requests_lock(F_UNLCK);
  fcntl(target->fd, F_OFD_SETLK, &lock);
}

/* One command at a time asks. */
static int lock_requests(const struct cli_target *target, uint64_t until)
{
  uint32_t moment = FIRST_LOOK_NS;
  while (!cli_target_try_lock(target)) {
    if (now_ns() >= until)
      return -EAGAIN;
    pause_longer(&moment);
  }
  return 0;
}

/* Has the calls put back that were taken out of the program while it did not record (cli/run/idle.h), by `callsig run`;
 * where that is gone, by this process. Returns 0, -EPERM when that may not be, or -ENODATA when the file was cut off.
 */
static int want_calls(const struct cli_target *target)
{
  if (!is_whole(target))
    return -ENODATA;
  uint32_t *word = &target->header->sleds, idle = FMT_SLEDS_IDLE, moment = FIRST_LOOK_NS;
  const uint64_t until = now_ns() + PUT_BACK_NS;
  if (__atomic_compare_exchange_n(word, &idle, FMT_SLEDS_WANTED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX);
  while (is_whole(target) && fmt_sleds_are_out(__atomic_load_n(word, __ATOMIC_SEQ_CST)) && now_ns() < until)
    pause_longer(&moment);
  if (!is_whole(target))
    return -ENODATA;
  if (!fmt_sleds_are_out(__atomic_load_n(word, __ATOMIC_SEQ_CST)))
    return 0;
  struct base_vector reached = BASE_VECTOR_OF(pid_t);
  int error = cli_calls_put_back_all(target->header->run, &reached);
  if (reached.count == 0)
    error = -EACCES;
  base_vector_free(&reached);
  /* A function that a debugger stops at is missing as long. */
  if (error < 0 && error != -EBUSY && error != -EAGAIN)
    return -EPERM;
  __atomic_store_n(word, FMT_SLEDS_CALL, __ATOMIC_SEQ_CST);
  return 0;
}

int cli_target_ask(const struct cli_target *target, enum fmt_request kind, uint64_t wait_ns)
{
  uint64_t until = now_ns() + wait_ns;
  int error = lock_requests(target, until);
  if (error < 0)
    return error;
  struct fmt_rec_header *header = target->header;
  error = want_calls(target);
  if (error < 0) {
    cli_target_unlock(target);
    return error;
  }
  until = now_ns() + wait_ns;
  const uint64_t last = __atomic_load_n(&header->request, __ATOMIC_RELAXED) >> FMT_REQUEST_SHIFT;
  const uint64_t request = (last + 1) << FMT_REQUEST_SHIFT | (uint64_t)kind;
  __atomic_store_n(&header->request, request, __ATOMIC_RELEASE);
  for (uint32_t moment = FIRST_LOOK_NS;
       is_whole(target) && __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE) != request;) {
    if (cli_target_has_ended(target))
      error = -ESRCH;
    else if (now_ns() >= until)
      error = -ETIMEDOUT;
    if (error < 0)
      break;
    pause_longer(&moment);
  }
  /* It may have come by in the last moment. */
  if (!is_whole(target))
    error = -ENODATA;
  else if (__atomic_load_n(&header->taken, __ATOMIC_ACQUIRE) == request)
    error = header->refusal;
  cli_target_unlock(target);
  return error;
}
