/* Changes the contents of an ELF file's sections, and now and then what says where they are. */
#include <elf.h>
#include <stdbool.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/random.h"

enum { CHANGES_MAX = 6 };

static const char *name_of(const uint8_t *data, size_t size, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
  uint64_t at = names->sh_offset + section->sh_name;
  if (names->sh_offset >= size || section->sh_name >= size || at >= size || !memchr(data + at, 0, size - (size_t)at))
    return "";
  return (const char *)data + at;
}

/* What callsig reads, and is therefore changed most. */
static bool is_read(const char *name)
{
  static const char *const read[] = {".debug_",  "callsig_sleds", "xray_instr_map", ".symtab", ".dynsym", ".rela",
                                     ".dynamic", ".eh_frame",     ".note",          ".text",   ".callsig"};
  for (size_t i = 0; i < sizeof read / sizeof read[0]; i++)
    if (strncmp(name, read[i], strlen(read[i])) == 0)
      return true;
  return false;
}

static bool section_at(const uint8_t *data, size_t size, const Elf64_Ehdr *header, unsigned number, Elf64_Shdr *section)
{
  uint64_t at = header->e_shoff + (uint64_t)number * sizeof *section;
  if (header->e_shoff > size || at > size || size - at < sizeof *section)
    return false;
  memcpy(section, data + at, sizeof *section);
  return true;
}

/* The bytes of a section with contents. */
static bool choose(const uint8_t *data, size_t size, const Elf64_Ehdr *header, Elf64_Shdr *section, uint64_t *random)
{
  Elf64_Shdr names;
  if (header->e_shnum == 0 || !section_at(data, size, header, header->e_shstrndx, &names))
    return false;
  for (unsigned tries = 0; tries < 64; tries++) {
    if (!section_at(data, size, header, (unsigned)(fuzz_random(random) % header->e_shnum), section))
      return false;
    if (section->sh_type == SHT_NOBITS || section->sh_size == 0 || section->sh_offset >= size ||
        section->sh_size > size - section->sh_offset)
      continue;
    if (is_read(name_of(data, size, &names, section)) || fuzz_random(random) % 16 == 0)
      return true;
  }
  return false;
}

static void change_section(uint8_t *data, const Elf64_Shdr *section, uint64_t *random)
{
  static const size_t widths[] = {1, 1, 2, 4, 8};
  uint8_t *bytes = data + section->sh_offset;
  size_t size = (size_t)section->sh_size, width = widths[fuzz_random(random) % 5];
  if (width > size)
    width = 1;
  size_t at = fuzz_random(random) % (size - width + 1), from = fuzz_random(random) % (size - width + 1);
  if (fuzz_random(random) % 2)
    at = at / width * width;
  if (fuzz_random(random) % 4 == 0)
    memmove(bytes + at, bytes + from, width);
  else
    fuzz_change_field(bytes + at, width, random);
}

size_t fuzz_mutate_elf(uint8_t *data, size_t size, size_t room, uint64_t seed)
{
  Elf64_Ehdr header;
  Elf64_Shdr section;
  (void)room;
  if (size < sizeof header || memcmp(data, ELFMAG, SELFMAG) != 0)
    return 0;
  memcpy(&header, data, sizeof header);
  for (uint64_t i = fuzz_random(&seed) % CHANGES_MAX + 1; i > 0; i--) {
    if (!choose(data, size, &header, &section, &seed))
      return 0;
    change_section(data, &section, &seed);
  }
  if (fuzz_random(&seed) % 16 == 0 && header.e_shnum > 0) {
    uint64_t number = fuzz_random(&seed) % header.e_shnum;
    fuzz_change_field(data + header.e_shoff + number * sizeof section + fuzz_random(&seed) % 8 * 8, 8, &seed);
  }
  return size;
}
