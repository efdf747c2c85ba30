/*
 * Which ELF files list sleds, by the names of their sections, or import the hook. Most files of a process have none,
 * and are not to be indexed for it.
 */
#include "profiler/sled/elf_sleds.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "format/sled.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"
#include "profiler/module/locate.h"

#define SECTIONS_A_READ 64u
#define SYMBOLS_A_READ  64u
#define HOOK_NAME       "__cyg_profile_func_enter"
#define IN_MEMORY       "/memfd:" /* what the path of a file begins with that never had a name */

/* 1 when all of it was read, 0 when the file ends before, or a negative errno. */
static int read_at(long fd, void *data, size_t size, uint64_t offset)
{
  long got = PROF_SYSCALL4(SYS_pread64, fd, data, size, offset);
  return got < 0 ? (int)got : got == (long)size;
}

static int is_name_of_sleds(long fd, uint64_t offset)
{
  char name[sizeof FMT_SLED_SECTION_XRAY > sizeof FMT_SLED_SECTION ? sizeof FMT_SLED_SECTION_XRAY
                                                                   : sizeof FMT_SLED_SECTION];
  int got = read_at(fd, name, sizeof name, offset);
  if (got <= 0)
    return got;
  name[sizeof name - 1] = '\0';
  return prof_equal(name, FMT_SLED_SECTION) || prof_equal(name, FMT_SLED_SECTION_XRAY);
}

/* Does a symbol table name the hook as another module's? */
static int names_hook(long fd, const Elf64_Shdr *symbols, const Elf64_Shdr *names)
{
  Elf64_Sym some[SYMBOLS_A_READ];
  const uint64_t all = symbols->sh_size / sizeof some[0];
  char name[sizeof HOOK_NAME];
  for (uint64_t first = 0; first < all; first += SYMBOLS_A_READ) {
    const uint64_t count = all - first < SYMBOLS_A_READ ? all - first : SYMBOLS_A_READ;
    int got = read_at(fd, some, count * sizeof some[0], symbols->sh_offset + first * sizeof some[0]);
    for (uint64_t i = 0; got > 0 && i < count; i++) {
      if (some[i].st_shndx != SHN_UNDEF || !some[i].st_name)
        continue;
      int has_name = read_at(fd, name, sizeof name, names->sh_offset + some[i].st_name);
      if (has_name < 0 || (has_name && prof_equal_bytes(name, HOOK_NAME, sizeof name)))
        return has_name;
    }
    if (got <= 0)
      return got;
  }
  return 0;
}

/* What is looked for in a file. */
struct wanted {
  long fd;
  const Elf64_Ehdr *header;
  bool hook; /* besides sleds, imports of the hook */
};

static int read_section(const struct wanted *wanted, uint32_t index, Elf64_Shdr *section)
{
  return read_at(wanted->fd, section, sizeof *section, wanted->header->e_shoff + index * sizeof *section);
}

/* Is this section what is looked for? `names` is that of sections' names. */
static int is_found(const struct wanted *wanted, const Elf64_Shdr *section, const Elf64_Shdr *names)
{
  Elf64_Shdr strings;
  if (section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_ALLOC && section->sh_size)
    return is_name_of_sleds(wanted->fd, names->sh_offset + section->sh_name);
  if (!wanted->hook || section->sh_type != SHT_DYNSYM || section->sh_link >= wanted->header->e_shnum)
    return 0;
  int got = read_section(wanted, section->sh_link, &strings);
  return got > 0 ? names_hook(wanted->fd, section, &strings) : got;
}

static int search_sections(const struct wanted *wanted)
{
  const Elf64_Ehdr *header = wanted->header;
  Elf64_Shdr sections[SECTIONS_A_READ], names;
  if (header->e_shentsize != sizeof names || header->e_shstrndx >= header->e_shnum)
    return 0;
  int got = read_section(wanted, header->e_shstrndx, &names);
  for (uint32_t first = 0; got > 0 && first < header->e_shnum; first += SECTIONS_A_READ) {
    uint32_t count = header->e_shnum - first < SECTIONS_A_READ ? header->e_shnum - first : SECTIONS_A_READ;
    got = read_at(wanted->fd, sections, count * sizeof sections[0], header->e_shoff + first * sizeof sections[0]);
    for (uint32_t i = 0; got > 0 && i < count; i++) {
      int found = is_found(wanted, &sections[i], &names);
      if (found)
        return found;
    }
  }
  return got < 0 ? got : 0;
}

static int search(const char *path, bool hook)
{
  Elf64_Ehdr header;
  long fd = prof_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0)
    return fd == -ENOENT || fd == -ENOTDIR || fd == -ENXIO ? 0 : (int)fd;
  int found = read_at(fd, &header, sizeof header, 0);
  if (found > 0)
    found = prof_equal_bytes(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64
                ? search_sections(&(const struct wanted){.fd = fd, .header = &header, .hook = hook})
                : 0;
  prof_sys_close(fd);
  return found;
}

int prof_elf_has_sleds(const char *path)
{
  return search(path, false);
}

/* A file that never had a name cannot be looked at by one. */
static int in_memory(const struct prof_mapping *mapping)
{
  struct prof_located *found = prof_scratch_take(sizeof *found);
  if (!found)
    return -ENOMEM;
  const bool is_module = prof_locate(mapping->low, found) == 0;
  prof_scratch_give(found, sizeof *found);
  return is_module ? -ENOENT : 0;
}

int prof_elf_mapped_has_sleds(const struct prof_mapping *mapping)
{
  const uintptr_t entry = getauxval(AT_ENTRY);
  const bool marked = prof_ends_with(mapping->path, PROF_DELETED_MARK);
  if (entry >= mapping->low && entry < mapping->high)
    return prof_elf_has_sleds("/proc/self/exe");
  if (!marked && !prof_mapping_path_is_escaped(mapping))
    return prof_elf_has_sleds(mapping->path);
  if (prof_starts_with(mapping->path, IN_MEMORY))
    return in_memory(mapping);
  char *path = prof_scratch_take(PROF_MAX_PATH);
  if (!path)
    return -ENOMEM;
  prof_mapping_path(mapping, path, PROF_MAX_PATH);
  int has = prof_elf_has_sleds(path);
  /* A file may be called as one whose name is gone; in whose place another may be by now. */
  if (has == 0 && marked) {
    path[prof_length(path) - (sizeof PROF_DELETED_MARK - 1)] = '\0';
    has = prof_elf_has_sleds(path);
  }
  prof_scratch_give(path, PROF_MAX_PATH);
  return has;
}

int prof_elf_is_instrumented(const char *path)
{
  return search(path, true);
}
