/*
 * Locating the module at an address: by what the dynamic linker tells without a lock, and the kernel's list of
 * mappings.
 */
#include "profiler/module/locate.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "format/hash.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/proc_maps.h"
#include "profiler/base/read_memory.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#define NT_GNU_BUILD_ID_TYPE 3
#define MAX_NOTES_SIZE       65536u
#define PAGE                 4096u
#define PIECE                56u /* of a text that is hashed */

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Since glibc 2.35; takes no lock and may be called in a signal handler. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

/* The linker's own code uses vector registers. */
static int find_object(void *address, void *object)
{
  return _dl_find_object(address, object);
}

/* A hash of the text at `at`, which may be gone: false. Piece by piece, as hooks have little room for it. */
static bool hash_text(uintptr_t at, uint64_t *hash)
{
  struct {
    uint64_t before;
    char text[PIECE];
  } piece = {0};
  size_t length = 0, read = PIECE;
  for (; read == PIECE && (length == 0 || piece.text[PIECE - 1]); length += read) {
    if (length >= PROF_MAX_PATH || prof_read_text(piece.text, at + length, PIECE, &read) != 0)
      return false;
    piece.before = fmt_hash(&piece, sizeof piece.before + read);
  }
  *hash = piece.before;
  return true;
}

/* False: another thread is unloading the object, whose link map is gone from what the linker tells, or is the next
 * object's by now, which has no name yet. All of it is the linker's memory, which it may have freed. `name`: where the
 * object's name lies. */
static bool describe(const struct dl_find_object *object, struct prof_linked *linked, uintptr_t *name)
{
  struct link_map map;
  if (!object->dlfo_link_map ||
      prof_read_memory(&map, (uintptr_t)object->dlfo_link_map, offsetof(struct link_map, l_ld)) != 0)
    return false;
  *name = (uintptr_t)map.l_name;
  linked->start = (uintptr_t)object->dlfo_map_start;
  linked->bias = map.l_addr;
  return map.l_name && hash_text(*name, &linked->name);
}

static bool linker_tells(const struct prof_linked *expected)
{
  struct dl_find_object object;
  if (!_dl_find_object || prof_call_keeping_vectors(find_object, (void *)expected->start, &object) != 0)
    return false;
  struct prof_linked linked;
  uintptr_t name;
  return describe(&object, &linked, &name) && linked.start == expected->start && linked.bias == expected->bias &&
         linked.name == expected->name;
}

static bool ask_linker(uintptr_t address, struct prof_located *found)
{
  struct dl_find_object object;
  struct prof_linked linked = {0};
  char magic[SELFMAG];
  uintptr_t name;
  size_t length;
  if (!_dl_find_object || prof_call_keeping_vectors(find_object, (void *)address, &object) != 0)
    return false;
  /* A statically linked program's map begins at its code, not at its headers. */
  if (prof_read_memory(magic, (uintptr_t)object.dlfo_map_start, sizeof magic) != 0 ||
      !prof_equal_bytes(magic, ELFMAG, sizeof magic) || !describe(&object, &linked, &name))
    return false;
  if (prof_read_text(found->path, name, sizeof found->path, &length) != 0 || found->path[length - 1]) {
    found->path[0] = '\0';
    return false;
  }
  found->start = (uintptr_t)object.dlfo_map_start;
  found->end = (uintptr_t)object.dlfo_map_end;
  found->bias = linked.bias;
  found->linked = linked;
  return true;
}
#else
static bool linker_tells(const struct prof_linked *expected)
{
  (void)expected;
  return false;
}

static bool ask_linker(uintptr_t address, struct prof_located *found)
{
  (void)address;
  (void)found;
  return false;
}
#endif

bool prof_located_still(const struct prof_linked *linked, const uint8_t *build_id, uint32_t build_id_size)
{
  uint8_t found[sizeof((struct prof_located *)NULL)->build_id];
  return linked->name && linked->build_id_at && build_id_size <= sizeof found && linker_tells(linked) &&
         prof_read_memory(found, linked->build_id_at, build_id_size) == 0 &&
         prof_equal_bytes(found, build_id, build_id_size);
}

/* Mappings of one file that follow each other, the first of them from its beginning, are one module. A linker that puts
 * nothing into the file to fill a page has a small module's code in the first page, too: the second mapping then is
 * from the beginning as well, right behind the first. */
struct search {
  uintptr_t address;
  struct prof_located *found;
  bool holds;       /* the run that is being read holds `address` */
  bool is_at_first; /* nothing of the run but the file's first page has been read */
  uintptr_t start, end;
  uint64_t device, inode;
};

static bool visit(const struct prof_mapping *mapping, void *data)
{
  struct search *search = data;
  bool same = mapping->inode && mapping->inode == search->inode && mapping->device == search->device;
  bool bss = mapping->inode == 0 && search->inode && mapping->low == search->end && !mapping->path[0];
  const bool goes_on = same && (mapping->offset || (search->is_at_first && mapping->low == search->end));
  if (!bss && !goes_on) {
    if (search->holds)
      return false;
    search->start = mapping->low;
    search->device = mapping->device;
    search->inode = mapping->inode;
  }
  search->is_at_first = mapping->inode && mapping->offset == 0;
  search->end = mapping->high;
  if (search->address >= mapping->low && search->address < mapping->high) {
    search->holds = true;
    search->found->device = mapping->device;
    search->found->inode = mapping->inode;
    if (mapping->path[0] == '/')
      prof_mapping_path(mapping, search->found->path, sizeof search->found->path);
  }
  return true;
}

/* The file, and unless the linker told it, the range of the module that holds `address`. */
static bool ask_kernel(uintptr_t address, bool linker_knows, struct prof_located *found)
{
  struct search search = {.address = address, .found = found};
  if (prof_proc_maps_walk(visit, &search) != 0 || !search.holds)
    return false;
  if (!linker_knows) {
    found->start = search.start;
    found->end = search.end;
  }
  return search.inode != 0 || linker_knows;
}

static void read_build_id(const Elf64_Phdr *segment, struct prof_located *found)
{
  uintptr_t at = found->bias + segment->p_vaddr;
  uint64_t left = segment->p_memsz < MAX_NOTES_SIZE ? segment->p_memsz : MAX_NOTES_SIZE;
  uint64_t align = segment->p_align == 8 ? 8 : 4;
  Elf64_Nhdr note;
  while (left >= sizeof note && prof_read_memory(&note, at, sizeof note) == 0) {
    uint64_t name = (note.n_namesz + align - 1) & ~(align - 1);
    uint64_t size = sizeof note + name + ((note.n_descsz + align - 1) & ~(align - 1));
    char owner[4];
    if (size > left)
      return;
    if (note.n_type == NT_GNU_BUILD_ID_TYPE && note.n_namesz == 4 && note.n_descsz > 0 &&
        note.n_descsz <= sizeof found->build_id && prof_read_memory(owner, at + sizeof note, 4) == 0 &&
        prof_equal_bytes(owner, "GNU", 4) &&
        prof_read_memory(found->build_id, at + sizeof note + name, note.n_descsz) == 0) {
      found->build_id_size = note.n_descsz;
      found->linked.build_id_at = at + sizeof note + name;
      return;
    }
    at += size;
    left -= size;
  }
}

/* Where the executable's thread-local block lies, the thread pointer tells; where a library's lies only the linker
 * knows. */
static void read_tls(const Elf64_Phdr *segment, struct prof_located *found)
{
  uint64_t align = segment->p_align ? segment->p_align : 1;
  if (!found->main_program || segment->p_vaddr % align)
    return;
  found->tls_known = true;
  found->tls_offset = prof_thread_block(segment->p_memsz, align);
}

/* What the linker tells of a module's end is to the byte, and what the kernel tells may be the end of a mapping that
 * follows: one module is to be the same whoever told of it. */
static void extend_to(const Elf64_Phdr *segment, struct prof_located *found)
{
  uintptr_t end = (found->bias + segment->p_vaddr + segment->p_memsz + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
  found->end = found->end > end ? found->end : end;
}

/* Reads the program headers in memory. False when no ELF header is mapped at the module's start. */
static bool read_headers(struct prof_located *found, bool bias_known)
{
  Elf64_Ehdr header;
  if (prof_read_memory(&header, found->start, sizeof header) != 0 ||
      !prof_equal_bytes(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  found->end = found->start;
  for (int pass = bias_known; pass < 2; pass++) {
    for (unsigned i = 0; i < header.e_phnum; i++) {
      Elf64_Phdr segment;
      if (prof_read_memory(&segment, found->start + header.e_phoff + i * sizeof segment, sizeof segment) != 0)
        return false;
      if (pass == 0 && segment.p_type == PT_LOAD) {
        found->bias = found->start - (segment.p_vaddr - segment.p_offset);
        break;
      }
      if (pass == 1 && segment.p_type == PT_LOAD)
        extend_to(&segment, found);
      if (pass == 1 && segment.p_type == PT_NOTE && !found->build_id_size)
        read_build_id(&segment, found);
      if (pass == 1 && segment.p_type == PT_TLS)
        read_tls(&segment, found);
    }
  }
  return true;
}

/* The linker has "" for the executable's path. */
static void find_executable_path(struct prof_located *found)
{
  long length = PROF_SYSCALL4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", found->path, sizeof found->path - 1);
  found->path[length > 0 ? length : 0] = '\0';
}

static bool is_there(const char *path, uint64_t inode, struct stat *status)
{
  return PROF_SYSCALL4(SYS_newfstatat, AT_FDCWD, path, status, 0) == 0 && (!inode || status->st_ino == inode);
}

/* A file may be called so, too. */
static void strip_deleted(struct prof_located *found)
{
  struct stat status;
  if (prof_ends_with(found->path, PROF_DELETED_MARK) && !is_there(found->path, found->inode, &status)) {
    found->deleted = true;
    found->path[prof_length(found->path) - (sizeof PROF_DELETED_MARK - 1)] = '\0';
  }
}

bool prof_located_status(const struct prof_located *found, struct stat *status)
{
  if (found->deleted && !found->main_program)
    return false;
  return is_there(prof_located_file(found), found->inode, status);
}

uint64_t prof_located_version(const struct prof_located *found)
{
  struct stat status;
  if (!prof_located_status(found, &status))
    return 0;
  const uint64_t words[] = {status.st_ino, (uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                            (uint64_t)status.st_mtim.tv_nsec};
  return fmt_hash(words, sizeof words);
}

int prof_locate(uintptr_t address, struct prof_located *found)
{
  for (size_t i = 0; i < sizeof *found; i++)
    ((volatile char *)found)[i] = 0;
  bool linker_knows = ask_linker(address, found);
  if (linker_knows && !found->path[0])
    find_executable_path(found);
  if (!ask_kernel(address, linker_knows, found) && !linker_knows)
    return -ENOENT;
  uintptr_t headers = getauxval(AT_PHDR);
  found->main_program = headers >= found->start && headers < found->end;
  /* The list of mappings may not have its path as it is written. */
  if (found->main_program && !linker_knows)
    find_executable_path(found);
  strip_deleted(found);
  return read_headers(found, linker_knows) && address < found->end ? 0 : -ENOENT;
}
