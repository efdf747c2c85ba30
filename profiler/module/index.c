/*
 * Signature indexes at run time: found in the cache, made when missing, copied into the recording.
 */
#include "profiler/module/index.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "format/cache_key.h"
#include "format/hash.h"
#include "format/machine.h"
#include "format/source.h"
#include "profiler/arch/registers.h"
#include "profiler/base/message.h"
#include "profiler/base/recording.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"
#include "profiler/module/helper.h"

#define INDEX_MAX (UINT64_C(1) << 31)

/* A file's bytes in private memory. */
struct bytes {
  void *data;
  size_t size;
  uint64_t used; /* when the file was last, before now: nanoseconds of files' times */
};

static void release(struct bytes *bytes)
{
  if (bytes->data)
    prof_sys_munmap(bytes->data, bytes->size);
  bytes->data = NULL;
}

static long read_whole(long fd, const struct bytes *bytes)
{
  size_t done = 0;
  while (done < bytes->size) {
    long got = prof_sys_read(fd, (char *)bytes->data + done, bytes->size - done);
    if (got <= 0)
      return got ? got : -EINVAL;
    done += (size_t)got;
  }
  return 0;
}

static bool is_trusted(const struct stat *status)
{
  return fmt_cache_trusts(status->st_uid, status->st_mode, (uint32_t)PROF_SYSCALL0(SYS_geteuid));
}

/* Opens the file in its folder, which is looked at first; the file itself is not reached through a link. -EPERM: the
 * folder is one that others may write. */
static long open_in(const char *folder, const char *path)
{
  struct stat status;
  long fd = -EPERM, at = prof_sys_open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  if (at < 0)
    return at;
  if (PROF_SYSCALL2(SYS_fstat, at, &status) == 0 && is_trusted(&status))
    fd = PROF_SYSCALL4(SYS_openat, at, prof_base_name(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
  prof_sys_close(at);
  return fd;
}

static uint64_t nanoseconds(const struct timespec *time)
{
  return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* Reads the file, and not a mapping of it: what was checked cannot change afterwards. */
static int read_file(const char *folder, const char *path, struct bytes *bytes)
{
  struct stat status;
  *bytes = (struct bytes){NULL, 0, 0};
  long fd = open_in(folder, path);
  if (fd < 0)
    return (int)fd;
  long error = PROF_SYSCALL2(SYS_fstat, fd, &status);
  if (error == 0 && !is_trusted(&status))
    error = -EINVAL;
  if (error == 0 && (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > INDEX_MAX))
    error = -EINVAL;
  if (error == 0 && (uint64_t)status.st_size < sizeof(struct fmt_index_header))
    error = -EINVAL;
  if (error == 0) {
    long mapped = prof_sys_mmap(0, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    error = prof_sys_failed(mapped) ? mapped : 0;
    if (error == 0)
      *bytes = (struct bytes){(void *)mapped, (size_t)status.st_size, nanoseconds(&status.st_atim)};
  }
  if (error == 0)
    error = read_whole(fd, bytes);
  if (error)
    release(bytes);
  prof_sys_close(fd);
  return (int)error;
}

/* The key of a module without a build-id: from its file, which must be the one that is mapped. */
static int file_key(const struct prof_located *module, uint64_t *key)
{
  struct stat status;
  if (module->deleted || !module->path[0])
    return -ENOENT;
  long error = PROF_SYSCALL4(SYS_newfstatat, AT_FDCWD, module->path, &status, 0);
  if (error)
    return (int)error;
  if (module->inode && status.st_ino != module->inode)
    return -ESTALE;
  const uint64_t words[5] = {status.st_dev, status.st_ino, (uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                             (uint64_t)status.st_mtim.tv_nsec};
  *key = fmt_hash(words, sizeof words);
  return 0;
}

/* Where the cache has the module's index. */
static int cached_path(const struct prof_settings *settings, const struct prof_located *module,
                       char path[PROF_MAX_PATH])
{
  char name[FMT_CACHE_NAME_SIZE];
  uint64_t key = 0;
  if (!settings->cache[0])
    return -ENOENT;
  int error = module->build_id_size ? 0 : file_key(module, &key);
  if (error)
    return error;
  fmt_cache_name(name, module->build_id, module->build_id_size, key, settings->rules_hash);
  struct prof_text text = prof_text_begin(path, PROF_MAX_PATH);
  prof_text_add(&text, settings->cache);
  prof_text_add(&text, "/");
  prof_text_add(&text, name);
  return text.cut ? -ENAMETOOLONG : 0;
}

/* Reads and checks the index at `path`: is it this module's, by these rules? */
static int load(const struct prof_settings *settings, const struct prof_located *module, const char *path,
                struct bytes *bytes)
{
  struct fmt_index index;
  int error = read_file(settings->cache, path, bytes);
  if (error)
    return error;
  error = fmt_index_open(bytes->data, bytes->size, &index);
  if (!error &&
      (fmt_machine_of(index.header->machine).registers != PROF_REGISTERS ||
       index.header->rules_hash != settings->rules_hash || index.header->build_id_size != module->build_id_size ||
       !prof_equal_bytes(index.header->build_id, module->build_id, module->build_id_size)))
    error = -EINVAL;
  if (error)
    release(bytes);
  return error;
}

/* The file for the command to read: under /proc when its name is gone. */
static void module_file(const struct prof_located *module, char path[PROF_MAX_PATH])
{
  struct prof_text text = prof_text_begin(path, PROF_MAX_PATH);
  if (!module->deleted || !module->main_program) {
    prof_text_add(&text, module->path);
    return;
  }
  prof_text_add(&text, "/proc/");
  prof_text_add_number(&text, prof_sys_getpid(), 10);
  prof_text_add(&text, "/exe");
}

/* May the index, which was opened, be of the file that is mapped? Not where its path has that file, and the index knows
 * another: one may have the build-id of the other. Where the path has it no more, the build-id decides. */
static bool may_be_of(const struct bytes *bytes, const struct prof_located *module)
{
  const struct fmt_index_source *source = fmt_index_source(bytes->data);
  struct stat status;
  return !source || !prof_located_status(module, &status) ||
         fmt_source_knows(source, (uint64_t)status.st_size, status.st_mtim.tv_sec, (int64_t)status.st_mtim.tv_nsec);
}

/* Memory for the paths: too large for the stack of a hook. */
struct scratch {
  char cached[PROF_MAX_PATH];
  char file[PROF_MAX_PATH];
};

/* Whether what the index lacks (.dwo files) may be there now. Where the command has looked since this run began, before
 * the program or for another process of it, it is not asked again. */
static bool may_be_made_better(const struct prof_settings *settings, const struct bytes *bytes)
{
  const struct fmt_index_header *header = bytes->data;
  return header->flags & FMT_INDEX_LACKS_UNITS && header->sections[FMT_SECTION_SITES].count &&
         (!settings->indexed || bytes->used < settings->indexed);
}

/* Has the command make the index anew if it lacks less than this one. Where that fails, this one is what there is. */
static void make_better(const struct prof_settings *settings, const struct prof_located *module,
                        struct scratch *scratch, struct bytes *bytes)
{
  struct bytes newer;
  module_file(module, scratch->file);
  if (!prof_helper_index_again(settings, scratch->file) || load(settings, module, scratch->cached, &newer))
    return;
  if (!may_be_of(&newer, module)) {
    release(&newer);
    return;
  }
  release(bytes);
  *bytes = newer;
}

static int find_or_make(const struct prof_settings *settings, const struct prof_located *module,
                        struct scratch *scratch, struct bytes *bytes, bool *asked)
{
  int error = cached_path(settings, module, scratch->cached);
  if (error == -ENOENT && !settings->cache[0]) {
    prof_message("no folder for signature indexes: set HOME or CALLSIG_CACHE_DIR");
    return error;
  }
  if (error) {
    prof_message("%s: its file is not the one that is running: start the program again", module->path);
    return error;
  }
  error = load(settings, module, scratch->cached, bytes);
  if (!error && may_be_of(bytes, module)) {
    *asked = may_be_made_better(settings, bytes);
    if (*asked)
      make_better(settings, module, scratch, bytes);
    return 0;
  }
  if (error == -EPERM) {
    prof_message("%s: others than this user and root may write there, so no signature index is taken from it: set "
                 "CALLSIG_CACHE_DIR to a folder that is yours alone",
                 settings->cache);
    return error;
  }
  module_file(module, scratch->file);
  if (!error) /* the command compares the files */
    release(bytes);
  else if (error != -ENOENT) /* not an index of this version: it is only a cache */
    PROF_SYSCALL3(SYS_unlinkat, AT_FDCWD, scratch->cached, 0);
  error = prof_helper_index(settings, scratch->file);
  if (error)
    return error;
  *asked = true;
  error = load(settings, module, scratch->cached, bytes);
  if (error == -ENOENT)
    prof_message("%s: its file is not the one that is running: start the program again", module->path);
  else if (error)
    prof_message("%s: not a sound signature index (error %d): remove it", scratch->cached, -error);
  return error;
}

int prof_index_obtain(struct prof_thread *t, const struct prof_settings *settings, const struct prof_located *module,
                      struct fmt_index *index, uint64_t *size, bool *asked)
{
  long mapped = prof_sys_mmap(0, sizeof(struct scratch), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped)) {
    prof_message("%s: no memory to read its signature index: raise RLIMIT_AS", module->path);
    return (int)mapped;
  }
  struct bytes bytes = {NULL, 0, 0};
  *asked = false;
  prof_pause(t);
  int error = find_or_make(settings, module, (struct scratch *)mapped, &bytes, asked);
  void *copy = error ? NULL : prof_record_alloc_run(bytes.size);
  if (!error && !copy)
    error = -ENOSPC; /* the recording has told of it */
  if (!error) {
    const uint64_t *from = bytes.data;
    uint64_t *to = copy;
    for (size_t i = 0; i < bytes.size / 8; i++)
      to[i] = from[i];
    for (size_t i = bytes.size & ~(size_t)7; i < bytes.size; i++)
      ((char *)copy)[i] = ((char *)bytes.data)[i];
    fmt_index_set(index, copy);
    *size = bytes.size;
  }
  release(&bytes);
  prof_sys_munmap((void *)mapped, sizeof(struct scratch));
  prof_resume(t);
  return error;
}
