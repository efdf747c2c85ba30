/*
 * Which file an index is of: by the time of its last change, else by all that it contains.
 */
#include "symbols/index/source.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Stripping changes the ELF header, which is a part of the first segment. */
static uint64_t hash_segments(Elf *elf, const char *bytes, size_t size)
{
  uint64_t hash = 0;
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    count = 0;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD || segment.p_offset >= size)
      continue;
    const size_t left = size - segment.p_offset;
    size_t from = segment.p_offset, length = segment.p_filesz < left ? segment.p_filesz : left;
    const size_t header = from < sizeof(Elf64_Ehdr) ? sizeof(Elf64_Ehdr) - from : 0;
    if (header < length)
      hash = XXH64(bytes + from + header, length - header, hash);
  }
  return hash;
}

static bool has_names(Elf *elf)
{
  size_t names;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return false;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (name && (header.sh_type == SHT_SYMTAB || strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
      return true;
  }
  return false;
}

static int read_file(int fd, struct fmt_index_source *source, bool *named)
{
  struct stat facts;
  if (fstat(fd, &facts) != 0)
    return -errno;
  if (!S_ISREG(facts.st_mode) || facts.st_size == 0)
    return -ENOEXEC;
  const size_t size = (size_t)facts.st_size;
  void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED)
    return -errno;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  *source = (struct fmt_index_source){.magic = FMT_SOURCE_MAGIC,
                                      .file_size = size,
                                      .modified = facts.st_mtim.tv_sec,
                                      .modified_ns = facts.st_mtim.tv_nsec,
                                      .loaded = hash_segments(elf, bytes, size),
                                      .whole = XXH64(bytes, size, 0)};
  *named = has_names(elf);
  elf_end(elf);
  munmap(bytes, size);
  return 0;
}

int sym_source_read(const char *path, struct fmt_index_source *source, bool *named)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return -errno;
  int error = read_file(fd, source, named);
  close(fd);
  return error;
}

bool sym_source_is(const struct fmt_index_header *index, const char *path, bool *copied, struct fmt_index_source *now)
{
  const struct fmt_index_source *made_from = fmt_index_source(index);
  struct stat facts;
  bool named = true;
  *copied = false;
  if (!made_from || stat(path, &facts) != 0)
    return false;
  if (fmt_source_knows(made_from, (uint64_t)facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec))
    return true;
  if (sym_source_read(path, now, &named) != 0)
    return false;
  *copied = now->whole == made_from->whole || (!named && now->loaded == made_from->loaded);
  now->whole = made_from->whole;
  return *copied;
}
