/*
 * Which ELF files list sleds, by the names of their sections. Most files of a process have none, and are not to be
 * indexed for it.
 */
#include "profiler/sled/elf_sleds.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>

#include "format/sled.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#define SECTIONS_A_READ 64u

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

static int search_sections(long fd, const Elf64_Ehdr *header)
{
  Elf64_Shdr sections[SECTIONS_A_READ], names;
  if (header->e_shentsize != sizeof names || header->e_shstrndx >= header->e_shnum)
    return 0;
  int got = read_at(fd, &names, sizeof names, header->e_shoff + header->e_shstrndx * sizeof names);
  for (uint32_t first = 0; got > 0 && first < header->e_shnum; first += SECTIONS_A_READ) {
    uint32_t count = header->e_shnum - first < SECTIONS_A_READ ? header->e_shnum - first : SECTIONS_A_READ;
    got = read_at(fd, sections, count * sizeof sections[0], header->e_shoff + first * sizeof sections[0]);
    for (uint32_t i = 0; got > 0 && i < count; i++)
      if (sections[i].sh_type == SHT_PROGBITS && sections[i].sh_flags & SHF_ALLOC && sections[i].sh_size) {
        int found = is_name_of_sleds(fd, names.sh_offset + sections[i].sh_name);
        if (found)
          return found;
      }
  }
  return got < 0 ? got : 0;
}

int prof_elf_has_sleds(const char *path)
{
  Elf64_Ehdr header;
  long fd = prof_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0)
    return fd == -ENOENT || fd == -ENOTDIR || fd == -ENXIO ? 0 : (int)fd;
  int found = read_at(fd, &header, sizeof header, 0);
  if (found > 0)
    found = prof_equal_bytes(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64
                ? search_sections(fd, &header)
                : 0;
  prof_sys_close(fd);
  return found;
}
