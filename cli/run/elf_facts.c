/* Reads what decides about profiling from ELF headers and symbol tables, with libelf. */
#include "cli/run/elf_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "format/sled.h"

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#else
#error "callsig knows x86-64 and aarch64"
#endif

static void read_interpreter(Elf *elf, int fd, struct cli_elf_facts *facts)
{
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    return;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_INTERP)
      continue;
    size_t size = header.p_filesz < sizeof facts->interpreter ? header.p_filesz : sizeof facts->interpreter - 1;
    ssize_t got = pread(fd, facts->interpreter, size, (off_t)header.p_offset);
    facts->interpreter[got > 0 ? got : 0] = '\0';
    return;
  }
}

/* Does the function of the C library run another program? */
static bool runs_program(const char *name)
{
  static const char *const functions[] = {"execl",  "execle",      "execlp",      "execv",   "execve",
                                          "execvp", "execvpe",     "execveat",    "fexecve", "popen",
                                          "system", "posix_spawn", "posix_spawnp"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(name, functions[i]) == 0)
      return true;
  return false;
}

static void read_symbol(const char *name, bool defined, struct cli_elf_facts *facts)
{
  if (strcmp(name, "__cyg_profile_func_enter") == 0) {
    facts->defines_hook |= defined;
    facts->imports_hook |= !defined;
  } else if (strcmp(name, "prof_hook_enter") == 0) {
    /* What the assembly of the hooks calls: wherever they are, it is. */
    facts->has_runtime |= defined;
  } else if (strcmp(name, "dlopen") == 0 || strcmp(name, "dlmopen") == 0) {
    facts->imports_dlopen |= !defined;
  } else if (!defined && runs_program(name)) {
    facts->starts_programs = true;
  }
}

/* The names of a section of symbols; versions after '@' are not part of names here. */
static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct cli_elf_facts *facts)
{
  Elf_Data *data = elf_getdata(section, NULL);
  if (data == NULL || header->sh_entsize == 0)
    return;
  size_t count = data->d_size / header->sh_entsize;
  for (size_t i = 1; i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, (int)i, &symbol) == NULL)
      return;
    const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
    if (name != NULL)
      read_symbol(name, symbol.st_shndx != SHN_UNDEF, facts);
  }
}

static int read_elf(Elf *elf, int fd, struct cli_elf_facts *facts)
{
  GElf_Ehdr header;
  size_t names = 0;
  if (elf_kind(elf) != ELF_K_ELF)
    return -ENOEXEC;
  if (gelf_getehdr(elf, &header) == NULL)
    return -EINVAL;
  facts->machine = header.e_machine;
  facts->native = header.e_machine == NATIVE_MACHINE && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                  header.e_ident[EI_DATA] == ELFDATA2LSB;
  facts->is_program = header.e_type == ET_EXEC || header.e_type == ET_DYN;
  if (!facts->native)
    return 0;
  read_interpreter(elf, fd, facts);
  bool has_names = elf_getshdrstrndx(elf, &names) == 0;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
    GElf_Shdr section_header;
    if (gelf_getshdr(section, &section_header) == NULL)
      return -EINVAL;
    const char *name = has_names ? elf_strptr(elf, names, section_header.sh_name) : NULL;
    if (name != NULL && (strcmp(name, FMT_SLED_SECTION) == 0 || strcmp(name, FMT_SLED_SECTION_XRAY) == 0))
      facts->has_sleds = true;
    if (section_header.sh_type == SHT_SYMTAB)
      facts->has_symtab = true;
    if (section_header.sh_type == SHT_SYMTAB || section_header.sh_type == SHT_DYNSYM)
      read_symbols(elf, section, &section_header, facts);
  }
  return 0;
}

int cli_elf_facts_read(const char *path, struct cli_elf_facts *facts)
{
  *facts = (struct cli_elf_facts){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return -errno;
  elf_version(EV_CURRENT);
  errno = 0;
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  int result = elf != NULL ? read_elf(elf, fd, facts) : -EINVAL;
  if (result == -EINVAL && errno == ENOMEM) /* which libelf tells by a text alone */
    result = -ENOMEM;
  elf_end(elf);
  close(fd);
  return result;
}
