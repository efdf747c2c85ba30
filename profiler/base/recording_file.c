/*
 * The file that a process records in: which name it gets, the lock that says that it is being written, and its space.
 *
 * The lock is flock()'s, shared: this process has it, and the `callsig run` that started it; who would take the file
 * away asks for it alone. It belongs to what open() made, which lives as long as a mapping of it. So no descriptor has
 * to stay open in the program: a page is mapped that forked children do not get, and the lock ends with the process,
 * however that ends. The recording itself is mapped through another descriptor, as children do get that.
 */
#include "profiler/base/recording_file.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14 */
#endif

#define PAGE      4096u
#define MODE      0600u
#define MAX_NAMES 1000u
#define ATTEMPTS                                                                                                       \
  100u /* while the lock of a file just made is somebody else's, who will have removed it in a moment                  \
        */

/* Is what was opened there? Whatever the program's umask leaves out, the file is for its owner to open again. */
static bool is_same_file(long fd, const char *path)
{
  struct stat file, there;
  if (PROF_SYSCALL2(SYS_fstat, fd, &file) != 0 ||
      PROF_SYSCALL4(SYS_newfstatat, AT_FDCWD, path, &there, AT_SYMLINK_NOFOLLOW) != 0 || file.st_ino != there.st_ino ||
      file.st_dev != there.st_dev)
    return false;
  if ((file.st_mode & MODE) != MODE)
    PROF_SYSCALL2(SYS_fchmod, fd, MODE);
  return true;
}

/* A file that was not there, with its lock. -EAGAIN: it was taken for an abandoned one before it was locked. */
static long make_new(const char *path)
{
  long fd = prof_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
  if (fd < 0)
    return fd;
  /* A file system without locks has none to respect either. */
  if (PROF_SYSCALL2(SYS_flock, fd, LOCK_SH | LOCK_NB) != -EWOULDBLOCK && is_same_file(fd, path))
    return fd;
  prof_sys_close(fd);
  return -EAGAIN;
}

/* Is this the place that was taken for `run`, and is this process the first that comes for it? */
static bool claim(long fd, uint64_t run, uint32_t pid)
{
  struct stat status;
  if (PROF_SYSCALL2(SYS_fstat, fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < (long)PAGE)
    return false;
  long mapped = prof_sys_mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (prof_sys_failed(mapped))
    return false;
  struct fmt_rec_header *header = (struct fmt_rec_header *)mapped;
  uint32_t nobody = 0;
  bool first = header->magic[0] == '\0' && header->run == run &&
               __atomic_compare_exchange_n(&header->pid, &nobody, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  prof_sys_munmap(header, PAGE);
  return first;
}

static long open_given(const struct prof_process *process)
{
  if (!process->settings.run)
    return -ENOENT;
  long fd = prof_sys_open(process->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0)
    return fd;
  if (!claim(fd, process->settings.run, process->pid)) {
    prof_sys_close(fd);
    return -EEXIST;
  }
  PROF_SYSCALL2(SYS_flock, fd, LOCK_SH | LOCK_NB);
  return fd;
}

/* The so-manieth name in process.path. False: it is too long. */
static bool name_file(struct prof_process *process, unsigned attempt)
{
  struct prof_text path = prof_text_begin(process->path, sizeof process->path);
  prof_text_add(&path, process->settings.output);
  if (attempt > 0) {
    prof_text_add(&path, ".");
    prof_text_add_number(&path, process->pid, 10);
  }
  if (attempt > 1) {
    prof_text_add(&path, ".");
    prof_text_add_number(&path, attempt - 1, 10);
  }
  return !path.cut;
}

long prof_recording_create(struct prof_process *process, bool *given)
{
  const struct timespec moment = {.tv_nsec = 1000000};
  *given = false;
  for (unsigned name = 0; name < MAX_NAMES; name++) {
    if (!name_file(process, name))
      return -ENAMETOOLONG;
    long fd = name == 0 ? open_given(process) : -ENOENT;
    if (fd >= 0) {
      *given = true;
      return fd;
    }
    fd = make_new(process->path);
    for (unsigned i = 0; i < ATTEMPTS && fd == -EAGAIN; i++) {
      PROF_SYSCALL2(SYS_nanosleep, &moment, 0);
      fd = make_new(process->path);
    }
    if (fd != -EEXIST && fd != -EAGAIN)
      return fd;
  }
  return -EEXIST;
}

long prof_recording_hold(long fd)
{
  long mapped = prof_sys_mmap(0, PAGE, PROT_NONE, MAP_SHARED, fd, 0);
  if (prof_sys_failed(mapped))
    return mapped;
  return PROF_SYSCALL3(SYS_madvise, mapped, PAGE, MADV_DONTFORK);
}

uint64_t prof_limit_of(int resource)
{
  struct rlimit64 limit;
  if (PROF_SYSCALL4(SYS_prlimit64, 0, resource, 0, &limit) < 0)
    return UINT64_MAX;
  return limit.rlim_cur;
}

long prof_recording_allocate(long fd, uint64_t from, uint64_t to)
{
  if (to > prof_limit_of(RLIMIT_FSIZE)) /* above it there is SIGXFSZ */
    return -EFBIG;
  long error;
  do {
    error = PROF_SYSCALL4(SYS_fallocate, fd, 0, from, to - from);
  } while (error == -EINTR);
  if (error != -EOPNOTSUPP && error != -ENOSYS)
    return error;
  static const uint8_t zeros[4096];
  for (uint64_t at = from; at < to;) {
    long written = PROF_SYSCALL4(SYS_pwrite64, fd, zeros, to - at < sizeof zeros ? to - at : sizeof zeros, at);
    if (written < 0 && written != -EINTR)
      return written;
    at += written > 0 ? (uint64_t)written : 0;
  }
  return 0;
}

long prof_recording_reopen(const struct prof_process *process)
{
  long fd = prof_sys_open(process->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0)
    return fd;
  struct stat status;
  long error = PROF_SYSCALL2(SYS_fstat, fd, &status);
  if (error == 0 && (status.st_ino != process->inode || status.st_dev != process->device))
    error = -ESTALE;
  if (error < 0) {
    prof_sys_close(fd);
    return error;
  }
  return fd;
}

long prof_recording_lengthen(uintptr_t end, uint64_t size)
{
  const long address = PROF_SYSCALL4(SYS_mremap, end - PAGE, PAGE, PAGE + size, 0 /* where it is */);
  if (prof_sys_failed(address))
    return address;
  const long error = PROF_SYSCALL3(SYS_madvise, end, size, MADV_POPULATE_WRITE);
  if (error < 0)
    prof_sys_munmap((void *)end, size);
  return error == -EFAULT ? -ENOSPC : error;
}
