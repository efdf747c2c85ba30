/* Looks up dynamic symbols in the memory of a process, by the hash table that its own loader goes by (DT_GNU_HASH). */
#include "cli/attach/symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "cli/common/mappings.h"

#define MOST_HEADERS 128u
#define MOST_ENTRIES 512u   /* of a dynamic section */
#define MOST_CHAIN   10000u /* symbols of one bucket */
#define NAME_SIZE    128u

/* The tables of a library, as addresses. */
struct tables {
  pid_t pid;
  uint64_t bias;
  uint64_t dynamic, symbols, strings, hash;
};

/* Finds the dynamic section, and what the file's addresses lack. */
static bool read_headers(struct tables *tables, uint64_t header)
{
  Elf64_Ehdr elf;
  bool found = false;
  if (cli_memory_read(tables->pid, header, &elf, sizeof elf) < 0 || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  for (unsigned i = 0; i < elf.e_phnum && i < MOST_HEADERS; i++) {
    Elf64_Phdr segment;
    if (cli_memory_read(tables->pid, header + elf.e_phoff + i * sizeof segment, &segment, sizeof segment) < 0)
      return false;
    if (segment.p_type == PT_LOAD && segment.p_offset == 0) {
      tables->bias = header - segment.p_vaddr;
      found = true;
    } else if (segment.p_type == PT_DYNAMIC) {
      tables->dynamic = segment.p_vaddr;
    }
  }
  tables->dynamic += tables->bias;
  return found;
}

/* The loader has made addresses of what the section says, or not yet. */
static uint64_t address_of(const struct tables *tables, uint64_t value)
{
  return value < tables->bias ? value + tables->bias : value;
}

static bool read_dynamic(struct tables *tables)
{
  for (unsigned i = 0; i < MOST_ENTRIES; i++) {
    Elf64_Dyn entry;
    if (cli_memory_read(tables->pid, tables->dynamic + i * sizeof entry, &entry, sizeof entry) < 0)
      return false;
    if (entry.d_tag == DT_NULL)
      break;
    if (entry.d_tag == DT_SYMTAB)
      tables->symbols = address_of(tables, entry.d_un.d_ptr);
    else if (entry.d_tag == DT_STRTAB)
      tables->strings = address_of(tables, entry.d_un.d_ptr);
    else if (entry.d_tag == DT_GNU_HASH)
      tables->hash = address_of(tables, entry.d_un.d_ptr);
  }
  return tables->symbols != 0 && tables->strings != 0 && tables->hash != 0;
}

static uint32_t hash_of(const char *name)
{
  uint32_t hash = 5381;
  for (; *name != '\0'; name++)
    hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static bool is_function(const struct tables *tables, uint32_t index, const char *name, Elf64_Sym *symbol)
{
  char found[NAME_SIZE];
  return cli_memory_read(tables->pid, tables->symbols + index * sizeof *symbol, symbol, sizeof *symbol) == 0 &&
         symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
         cli_memory_read_text(tables->pid, tables->strings + symbol->st_name, found, sizeof found) == 0 &&
         strcmp(found, name) == 0;
}

static uint64_t look_up(const struct tables *tables, const char *name, uint64_t *size)
{
  struct {
    uint32_t buckets, first, words, shift; /* `words` of 64 bits, which tell what is not there, come next */
  } head = {0};
  uint32_t index = 0, hash = hash_of(name), value;
  if (cli_memory_read(tables->pid, tables->hash, &head, sizeof head) < 0 || head.buckets == 0)
    return 0;
  const uint64_t buckets = tables->hash + sizeof head + head.words * sizeof(uint64_t);
  const uint64_t chains = buckets + head.buckets * sizeof index;
  if (cli_memory_read(tables->pid, buckets + hash % head.buckets * sizeof index, &index, sizeof index) < 0 ||
      index < head.first)
    return 0;
  for (unsigned i = 0; i < MOST_CHAIN; i++, index++) {
    Elf64_Sym symbol;
    if (cli_memory_read(tables->pid, chains + (index - head.first) * sizeof value, &value, sizeof value) < 0)
      return 0;
    if ((value | 1) == (hash | 1) && is_function(tables, index, name, &symbol)) {
      *size = symbol.st_size;
      return symbol.st_value + tables->bias;
    }
    if (value & 1)
      return 0;
  }
  return 0;
}

uint64_t cli_symbol_find(pid_t pid, uint64_t header, const char *name, uint64_t *size)
{
  struct tables tables = {.pid = pid};
  return read_headers(&tables, header) && read_dynamic(&tables) ? look_up(&tables, name, size) : 0;
}
