/*
 * Opens an ELF file and finds its debug information, wherever that lies.
 */
#include "symbols/elf/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/elf/list_bounds.h"

static char *debug_directories; /* NULL is libdwfl's default: beside the file, .debug, /usr/lib/debug. Never written. */

/* Is there something else than a file beside the module, in `folder` below its own, under this name? */
static bool is_no_file(const char *module, const char *folder, const char *name, const char *suffix)
{
  char path[PATH_MAX];
  struct stat status;
  const char *slash = strrchr(module, '/');
  const int own = slash ? (int)(slash + 1 - module) : 0;
  int length = snprintf(path, sizeof path, "%.*s%s%s%s", own, module, name[0] == '/' ? "" : folder, name, suffix);
  return length > 0 && (size_t)length < sizeof path && stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* libdw opens what lies where debug information may be, and would wait for whoever writes to a FIFO there. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                          const char *link, GElf_Word checksum, char **found)
{
  static const char *const folders[] = {"", ".debug/"};
  const char *slash = file ? strrchr(file, '/') : NULL;
  const char *own = slash ? slash + 1 : file;
  for (size_t i = 0; file && i < sizeof folders / sizeof folders[0]; i++)
    if (is_no_file(file, folders[i], link ? link : own, link ? "" : ".debug") ||
        (!link && folders[i][0] && is_no_file(file, folders[i], own, "")))
      return -1;
  return dwfl_standard_find_debuginfo(module, data, name, base, file, link, checksum, found);
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_directories,
};

void sym_debugfile_say(const struct sym_debugfile *file, const char *format, ...)
{
  if (!file->message)
    return;
  char line[1024];
  int length = snprintf(line, sizeof line, "%s: ", file->path);
  if (length < 0 || (size_t)length >= sizeof line)
    length = 0;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
  va_end(arguments);
  file->message(line, file->data);
}

/* Refuses what the rest of symbols/ has no knowledge of. */
static int check_machine(struct sym_debugfile *file)
{
  file->processor = gelf_getehdr(file->elf, &file->header) ? sym_processor_of(file->header.e_machine) : NULL;
  if (!file->processor || file->header.e_ident[EI_CLASS] != ELFCLASS64 ||
      (file->header.e_type != ET_EXEC && file->header.e_type != ET_DYN)) {
    sym_debugfile_say(file, "not an executable or shared object for x86-64 or aarch64");
    return -ENOEXEC;
  }
  return 0;
}

static int report(struct sym_debugfile *file)
{
  struct stat status;
  /* Without waiting for who would write to a FIFO. */
  int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat(fd, &status) != 0) {
    int error = errno;
    if (fd >= 0)
      close(fd);
    sym_debugfile_say(file, "cannot open: %s", strerror(error));
    return -error;
  }
  if (!S_ISREG(status.st_mode)) {
    close(fd);
    sym_debugfile_say(file, "not an ELF file: not a regular file");
    return -ENOEXEC;
  }
  file->dwfl = dwfl_begin(&callbacks);
  if (!file->dwfl) {
    close(fd);
    sym_debugfile_say(file, "cannot start libdwfl: %s", dwfl_errmsg(-1));
    return -ENOMEM;
  }
  dwfl_report_begin(file->dwfl);
  /* On success the descriptor belongs to the module. */
  file->module = dwfl_report_elf(file->dwfl, file->path, file->path, fd, 0, true);
  if (!file->module) {
    close(fd);
    sym_debugfile_say(file, "not an ELF file: %s", dwfl_errmsg(-1));
    return -ENOEXEC;
  }
  dwfl_report_end(file->dwfl, NULL, NULL);
  return 0;
}

/* DWARF and CFI, each optional. What does not lie at bias 0 belongs to a file that was moved after linking (prelink):
 * its addresses are not this file's, so it is left out. */
static void find_debug_information(struct sym_debugfile *file)
{
  Dwarf_Addr bias = 0;
  file->dwarf = dwfl_module_getdwarf(file->module, &bias);
  if (file->dwarf && bias != 0) {
    sym_debugfile_say(file, "its debug file was linked at another address: parameters are unknown");
    file->dwarf = NULL;
  }
  file->eh_frame = dwfl_module_eh_cfi(file->module, &bias);
  if (bias != 0)
    file->eh_frame = NULL;
  bias = 0;
  file->debug_frame = dwfl_module_dwarf_cfi(file->module, &bias);
  if (bias != 0)
    file->debug_frame = NULL;
}

int sym_debugfile_open(struct sym_debugfile *file, const char *path, base_message_fn message, void *data)
{
  *file = (struct sym_debugfile){.path = path, .message = message, .data = data};
  int error = report(file);
  if (error)
    return error;
  GElf_Addr bias = 0;
  file->elf = dwfl_module_getelf(file->module, &bias);
  if (!file->elf) {
    sym_debugfile_say(file, "cannot be read: %s", dwfl_errmsg(-1));
    return -ENOEXEC;
  }
  error = check_machine(file);
  if (error)
    return error;
  if (bias != 0) {
    sym_debugfile_say(file, "cannot be laid out at its own addresses");
    return -ENOEXEC;
  }
  GElf_Addr address;
  const unsigned char *build_id = NULL;
  int size = dwfl_module_build_id(file->module, &build_id, &address);
  if (size > 0 && build_id) {
    file->build_id = build_id;
    file->build_id_size = (size_t)size;
  }
  find_debug_information(file);
  return 0;
}

void sym_debugfile_close(struct sym_debugfile *file)
{
  sym_list_bounds_forget();
  if (file->dwfl)
    dwfl_end(file->dwfl);
  file->dwfl = NULL;
}

bool sym_link_address(Elf *elf, uint64_t offset, uint64_t *address)
{
  size_t segments;
  if (elf_getphdrnum(elf, &segments) != 0)
    return false;
  for (size_t i = 0; i < segments; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, (int)i, &segment) == NULL || segment.p_type != PT_LOAD || offset < segment.p_offset ||
        offset - segment.p_offset >= segment.p_filesz)
      continue;
    *address = offset - segment.p_offset + segment.p_vaddr;
    return true;
  }
  return false;
}
