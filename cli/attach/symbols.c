/* Reads the dynamic symbols of a file that a process has mapped, with libelf. */
#include "cli/attach/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* What is to be added to the file's addresses: by the segment that begins where the mapping does. */
static bool find_bias(Elf *elf, const struct cli_memory_mapping *mapping, uint64_t *bias)
{
  size_t count = 0;
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  if (elf_getphdrnum(elf, &count) != 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
        (header.p_offset & ~(page - 1)) != mapping->offset)
      continue;
    *bias = mapping->start - (header.p_vaddr & ~(page - 1));
    return true;
  }
  return false;
}

static bool find_in_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name, GElf_Sym *symbol)
{
  Elf_Data *data = elf_getdata(section, NULL);
  const size_t count = data != NULL && header->sh_entsize != 0 ? data->d_size / header->sh_entsize : 0;
  for (size_t i = 1; i < count; i++) {
    if (gelf_getsym(data, (int)i, symbol) == NULL)
      return false;
    const char *found = elf_strptr(elf, header->sh_link, symbol->st_name);
    if (found != NULL && symbol->st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
        strcmp(found, name) == 0)
      return true;
  }
  return false;
}

uint64_t cli_symbol_find(const struct cli_mappings *mappings, const struct cli_memory_mapping *file, const char *name,
                         uint64_t *size)
{
  uint64_t address = 0, bias = 0;
  const struct cli_memory_mapping *mapped = NULL;
  int fd = open(file->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  if (elf != NULL && find_bias(elf, file, &bias))
    for (Elf_Scn *section = NULL; address == 0 && (section = elf_nextscn(elf, section)) != NULL;) {
      GElf_Shdr header;
      GElf_Sym symbol;
      if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_DYNSYM ||
          !find_in_section(elf, section, &header, name, &symbol))
        continue;
      address = symbol.st_value + bias;
      *size = symbol.st_size;
    }
  elf_end(elf);
  close(fd);
  if (address != 0)
    mapped = cli_mappings_at(mappings, address);
  return mapped != NULL && mapped->executable && strcmp(mapped->path, file->path) == 0 ? address : 0;
}
