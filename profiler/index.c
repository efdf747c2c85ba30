#include "index.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "callsig/format/cache_key.h"
#include "callsig/format/hash.h"
#include "helper.h"
#include "text.h"

#define INDEX_MAX (UINT64_C(1) << 31)

/* A file's bytes in private memory. */
struct bytes {
  void *data;
  size_t size;
};

static void release(struct bytes *bytes)
{
  if (bytes->data)
    cs_sys_munmap(bytes->data, bytes->size);
  bytes->data = NULL;
}

static long read_whole(long fd, const struct bytes *bytes)
{
  size_t done = 0;
  while (done < bytes->size) {
    long got = cs_sys_read(fd, (char *)bytes->data + done, bytes->size - done);
    if (got <= 0)
      return got ? got : -EINVAL;
    done += (size_t)got;
  }
  return 0;
}

/* Reads the file, and not a mapping of it: what was checked cannot change afterwards. */
static int read_file(const char *path, struct bytes *bytes)
{
  struct stat status;
  *bytes = (struct bytes){NULL, 0};
  long fd = cs_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0)
    return (int)fd;
  long error = CS_SYSCALL2(SYS_fstat, fd, &status);
  if (error == 0 && (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > INDEX_MAX))
    error = -EINVAL;
  if (error == 0 && (uint64_t)status.st_size < sizeof(struct cs_index_header))
    error = -EINVAL;
  if (error == 0) {
    long mapped = cs_sys_mmap(0, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    error = cs_sys_failed(mapped) ? mapped : 0;
    if (error == 0)
      *bytes = (struct bytes){(void *)mapped, (size_t)status.st_size};
  }
  if (error == 0)
    error = read_whole(fd, bytes);
  if (error)
    release(bytes);
  cs_sys_close(fd);
  return (int)error;
}

/* The key of a module without a build-id: from its file, which must be the one that is mapped. */
static int file_key(const struct cs_located *module, uint64_t *key)
{
  struct stat status;
  if (module->deleted || !module->path[0])
    return -ENOENT;
  long error = CS_SYSCALL4(SYS_newfstatat, AT_FDCWD, module->path, &status, 0);
  if (error)
    return (int)error;
  if (module->inode && status.st_ino != module->inode)
    return -ESTALE;
  const uint64_t words[5] = {status.st_dev, status.st_ino, (uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                             (uint64_t)status.st_mtim.tv_nsec};
  *key = cs_hash(words, sizeof words);
  return 0;
}

/* Where the cache has the module's index. */
static int cached_path(const struct cs_settings *settings, const struct cs_located *module, char path[CS_MAX_PATH])
{
  char name[CS_CACHE_NAME_SIZE];
  uint64_t key = 0;
  if (!settings->cache[0])
    return -ENOENT;
  int error = module->build_id_size ? 0 : file_key(module, &key);
  if (error)
    return error;
  cs_cache_name(name, module->build_id, module->build_id_size, key, settings->rules_hash);
  struct cs_text text = cs_text_begin(path, CS_MAX_PATH);
  cs_text_add(&text, settings->cache);
  cs_text_add(&text, "/");
  cs_text_add(&text, name);
  return text.cut ? -ENAMETOOLONG : 0;
}

/* Reads and checks the index at `path`: is it this module's, by these rules? */
static int load(const struct cs_settings *settings, const struct cs_located *module, const char *path,
                struct bytes *bytes)
{
  struct cs_index index;
  int error = read_file(path, bytes);
  if (error)
    return error;
  error = cs_index_open(bytes->data, bytes->size, &index);
  if (!error &&
      (index.header->rules_hash != settings->rules_hash || index.header->build_id_size != module->build_id_size ||
       !cs_equal_bytes(index.header->build_id, module->build_id, module->build_id_size)))
    error = -EINVAL;
  if (error)
    release(bytes);
  return error;
}

/* The file for the command to read: under /proc when its name is gone. */
static void module_file(const struct cs_located *module, char path[CS_MAX_PATH])
{
  struct cs_text text = cs_text_begin(path, CS_MAX_PATH);
  if (!module->deleted || !module->main_program) {
    cs_text_add(&text, module->path);
    return;
  }
  cs_text_add(&text, "/proc/");
  cs_text_add_number(&text, cs_sys_getpid(), 10);
  cs_text_add(&text, "/exe");
}

/* Memory for the paths: too large for the stack of a hook. */
struct scratch {
  char cached[CS_MAX_PATH];
  char file[CS_MAX_PATH];
};

static int find_or_make(const struct cs_settings *settings, const struct cs_located *module, struct scratch *scratch,
                        struct bytes *bytes, bool *made)
{
  int error = cached_path(settings, module, scratch->cached);
  if (error == -ENOENT && !settings->cache[0]) {
    cs_message("no folder for signature indexes: set HOME or CALLSIG_CACHE_DIR");
    return error;
  }
  if (error) {
    cs_message("%s: its file is not the one that is running: start the program again", module->path);
    return error;
  }
  error = load(settings, module, scratch->cached, bytes);
  if (!error)
    return 0;
  module_file(module, scratch->file);
  if (error != -ENOENT) /* not an index of this version: it is only a cache */
    CS_SYSCALL3(SYS_unlinkat, AT_FDCWD, scratch->cached, 0);
  error = cs_helper_index(settings, scratch->file);
  if (error)
    return error;
  *made = true;
  error = load(settings, module, scratch->cached, bytes);
  if (error == -ENOENT)
    cs_message("%s: its file is not the one that is running: start the program again", module->path);
  else if (error)
    cs_message("%s: not a sound signature index (error %d): remove it", scratch->cached, -error);
  return error;
}

int cs_index_obtain(struct cs_thread *t, const struct cs_settings *settings, const struct cs_located *module,
                    struct cs_index *index, uint64_t *size, bool *made)
{
  long mapped = cs_sys_mmap(0, sizeof(struct scratch), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (cs_sys_failed(mapped)) {
    cs_message("%s: no memory to read its signature index: raise RLIMIT_AS", module->path);
    return (int)mapped;
  }
  struct bytes bytes = {NULL, 0};
  *made = false;
  cs_pause(t);
  int error = find_or_make(settings, module, (struct scratch *)mapped, &bytes, made);
  void *copy = error ? NULL : cs_record_alloc_run(bytes.size);
  if (!error && !copy)
    error = -ENOSPC; /* the recording has told of it */
  if (!error) {
    const uint64_t *from = bytes.data;
    uint64_t *to = copy;
    for (size_t i = 0; i < bytes.size / 8; i++)
      to[i] = from[i];
    for (size_t i = bytes.size & ~(size_t)7; i < bytes.size; i++)
      ((char *)copy)[i] = ((char *)bytes.data)[i];
    cs_index_set(index, copy);
    *size = bytes.size;
  }
  release(&bytes);
  cs_sys_munmap((void *)mapped, sizeof(struct scratch));
  cs_resume(t);
  return error;
}
