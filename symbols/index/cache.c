/*
 * Keeps indexes as files named by build-id, and makes those that are missing or stale.
 */
#include "symbols/index/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "format/cache_key.h"
#include "format/open.h"
#include "symbols/index/lacking.h"
#include "symbols/index/prune.h"
#include "symbols/index/source.h"

static void say(const struct sym_index_options *options, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(const struct sym_index_options *options, const char *format, ...)
{
  char line[PATH_MAX + 256];
  va_list arguments;
  if (!options || !options->message)
    return;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  options->message(line, options->data);
}

int sym_cache_directory(char *directory, size_t size)
{
  const char *own = getenv("CALLSIG_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length;
  if (own && *own)
    length = snprintf(directory, size, "%s", own);
  else if (xdg && *xdg == '/')
    length = snprintf(directory, size, "%s/callsig", xdg);
  else if (home && *home == '/')
    length = snprintf(directory, size, "%s/.cache/callsig", home);
  else
    return -ENOENT;
  return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

/* Makes the directory if it is not there, for this user alone, whatever the umask leaves out. */
static int make_one(const char *directory)
{
  struct stat status;
  if (mkdir(directory, 0700) != 0)
    return errno == EEXIST ? 0 : -errno;
  if (stat(directory, &status) == 0 && (status.st_mode & 0700) != 0700)
    (void)chmod(directory, 0700);
  return 0;
}

/* The same with those above it. */
static int make_directory(char *directory)
{
  for (char *slash = strchr(directory + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const int error = make_one(directory);
    *slash = '/';
    if (error < 0)
      return error;
  }
  return make_one(directory);
}

/* The build-id note, read with libelf alone: a cached index is found without reading anything else of the module. */
static size_t read_build_id(Elf *elf, uint8_t build_id[32])
{
  size_t count;
  if (elf_getphdrnum(elf, &count) != 0)
    return 0;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr program;
    if (!gelf_getphdr(elf, (int)i, &program) || program.p_type != PT_NOTE)
      continue;
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)program.p_offset, program.p_filesz,
                                          program.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    size_t at = 0, name, description;
    GElf_Nhdr note;
    while (data && (at = gelf_getnote(data, at, &note, &name, &description)) > 0) {
      const char *bytes = data->d_buf;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(bytes + name, "GNU", 4) == 0 &&
          note.n_descsz <= 32) {
        memcpy(build_id, bytes + description, note.n_descsz);
        return note.n_descsz;
      }
    }
  }
  return 0;
}

/* The name of the module's index in the cache. */
static int cache_name(const char *path, const struct sym_index_options *options, char name[FMT_CACHE_NAME_SIZE])
{
  struct stat facts;
  uint8_t build_id[32];
  /* What is no regular file is refused when it is read; here nothing waits for who would write to a FIFO. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat(fd, &facts) != 0) {
    int error = errno;
    if (fd >= 0)
      close(fd);
    say(options, "%s: cannot open: %s", path, strerror(error));
    return -error;
  }
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  size_t build_id_size = elf ? read_build_id(elf, build_id) : 0;
  elf_end(elf);
  close(fd);
  const uint64_t words[] = {(uint64_t)facts.st_dev, (uint64_t)facts.st_ino, (uint64_t)facts.st_size,
                            (uint64_t)facts.st_mtim.tv_sec, (uint64_t)facts.st_mtim.tv_nsec};
  fmt_cache_name(name, build_id, build_id_size, XXH64(words, sizeof words, 0),
                 fmt_index_made_by(sym_rules_hash(options ? options->rules : NULL), options && options->library_calls,
                                   options ? options->below_hash : 0));
  return 0;
}

static bool is_trusted(const struct stat *facts)
{
  return fmt_cache_trusts(facts->st_uid, facts->st_mode, geteuid());
}

/* Refuses a directory that others may write: what lies there might be theirs. One that is not there is made later. */
static int check_directory(const char *directory, const struct sym_index_options *options)
{
  struct stat facts;
  if (stat(directory, &facts) != 0 || is_trusted(&facts))
    return 0;
  say(options,
      "%s: others than this user and root may write there, so no signature index is kept there; set "
      "CALLSIG_CACHE_DIR to a directory that is yours alone",
      directory);
  return -EPERM;
}

static int write_all(int fd, const char *data, size_t size)
{
  while (size > 0) {
    ssize_t written = write(fd, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return -errno;
    data += written;
    size -= (size_t)written;
  }
  return 0;
}

/* Writes beside the final name and renames, so that a reader sees the whole file or none. mkostemp makes it 0600, but
 * for what the umask leaves out. */
static int write_file(const char *cached, const void *data, size_t size)
{
  char temporary[PATH_MAX];
  int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", cached);
  if (length < 0 || (size_t)length >= sizeof temporary)
    return -ENAMETOOLONG;
  int fd = mkostemp(temporary, O_CLOEXEC);
  if (fd < 0)
    return -errno;
  (void)fchmod(fd, 0600);
  int error = write_all(fd, data, size);
  if (close(fd) != 0 && !error)
    error = -errno;
  if (!error && rename(temporary, cached) != 0)
    error = -errno;
  if (error)
    unlink(temporary);
  return error;
}

/* Has the index, which is mapped writable and private, say that the file is of another time and size. Where that cannot
 * be kept, the file is compared again next time. */
static void note_copy(const char *cached, void *data, size_t size, const struct fmt_index_source *now)
{
  struct fmt_index_header *header = data;
  memcpy((char *)data + size - sizeof *now, now, sizeof *now);
  header->checksum = XXH64((const char *)data + header->header_size, size - header->header_size, 0);
  (void)write_file(cached, data, size);
}

/* An index of sites without parameters is made again, since debug information may have been installed in the meantime;
 * without it that costs little. One that lacks some is made again when it lacks less now. */
static bool is_current_index(void *data, size_t size, const char *path, const char *cached,
                             const struct sym_index_options *options)
{
  struct fmt_index index;
  struct fmt_index_source now;
  bool copied;
  if (fmt_index_open(data, size, &index) != 0 || index.header->producer != SYM_PRODUCER)
    return false;
  const uint32_t flags = index.header->flags;
  const bool has_sites = index.count[FMT_SECTION_SITES] > 0;
  if (!(flags & FMT_INDEX_HAS_DWARF) && has_sites)
    return false;
  if (!sym_source_is(index.header, path, &copied, &now))
    return false;
  if (flags & FMT_INDEX_LACKS_UNITS && has_sites && !sym_lacking_still(path, flags, options))
    return false;
  if (copied)
    note_copy(cached, data, size, &now);
  return true;
}

/* Whether the cached file can be used as it is for the file at `path`. */
static bool is_current(const char *cached, const char *path, const struct sym_index_options *options)
{
  struct stat facts;
  bool current = false;
  int fd = open(cached, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return false;
  if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && is_trusted(&facts) && facts.st_size > 0) {
    void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED) {
      current = is_current_index(data, (size_t)facts.st_size, path, cached, options);
      munmap(data, (size_t)facts.st_size);
    }
  }
  close(fd);
  return current;
}

/* Whether the directory would lie in a home that is not there. Such a one is never made: that users of services have
 * none is meant, and `/nonexistent` is to stay so. */
static bool lacks_home(const char *directory)
{
  const char *home = getenv("HOME");
  struct stat facts;
  const size_t length = home ? strlen(home) : 0;
  return length > 1 && strncmp(directory, home, length) == 0 && directory[length] == '/' && stat(home, &facts) != 0 &&
         errno == ENOENT;
}

int sym_index_cache(const char *path, const struct sym_index_options *options, char *cached, size_t cached_size)
{
  char directory[PATH_MAX - FMT_CACHE_NAME_SIZE - 16], name[FMT_CACHE_NAME_SIZE], file[PATH_MAX];
  int error = sym_cache_directory(directory, sizeof directory);
  if (error) {
    say(options, "no directory for the cache of indexes: set CALLSIG_CACHE_DIR");
    return error;
  }
  if (lacks_home(directory)) {
    say(options, "no directory for the cache of indexes, as HOME (%s) is not there: set CALLSIG_CACHE_DIR",
        getenv("HOME"));
    return -ENOENT;
  }
  error = cache_name(path, options, name);
  if (error)
    return error;
  snprintf(file, sizeof file, "%s/%s", directory, name);
  if (cached && (size_t)snprintf(cached, cached_size, "%s", file) >= cached_size)
    return -ENAMETOOLONG;
  error = check_directory(directory, options);
  if (error)
    return error;
  if (is_current(file, path, options)) {
    sym_cache_used(file);
    return 0;
  }
  void *index;
  size_t size;
  error = sym_index_build(path, options, &index, &size);
  if (error)
    return error;
  error = make_directory(directory);
  if (!error)
    error = write_file(file, index, size);
  free(index);
  if (error)
    say(options, "%s: cannot be written: %s; set CALLSIG_CACHE_DIR to a directory that can", file, strerror(-error));
  else
    error = sym_cache_prune(directory, name, SYM_CACHE_BYTES, time(NULL));
  return error;
}
