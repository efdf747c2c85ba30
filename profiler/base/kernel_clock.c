/* Finds the kernel's code that reads clocks, and calls it. */
#include "profiler/base/kernel_clock.h"

#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <time.h>

#include "profiler/base/compiler.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

typedef int read_fn(clockid_t clock, struct timespec *now);

/* Where the kernel's code lies; a size of 0 before it was looked for. */
static struct {
  uintptr_t start, size;
} place;

static int read_by_call(clockid_t clock, struct timespec *now)
{
  return (int)PROF_SYSCALL2(SYS_clock_gettime, clock, now);
}

/* The symbols of an ELF file in memory: addresses, 0 for what it does not have. */
struct symbols {
  uintptr_t bias, names, table, hash, gnu_hash;
  uintptr_t size; /* of all that is loaded, from its first byte on */
};

/* False: it has none. The kernel does not relocate the addresses. */
static bool read_dynamic(const Elf64_Ehdr *header, struct symbols *symbols)
{
  const Elf64_Phdr *segments = (const Elf64_Phdr *)((uintptr_t)header + header->e_phoff);
  const Elf64_Dyn *entry = NULL;
  *symbols = (struct symbols){0};
  for (unsigned i = 0; i < header->e_phnum; i++) {
    if (segments[i].p_type == PT_LOAD && symbols->bias == 0) {
      symbols->bias = (uintptr_t)header + segments[i].p_offset - segments[i].p_vaddr;
      symbols->size = segments[i].p_offset + segments[i].p_memsz; /* it has one such segment */
    }
    if (segments[i].p_type == PT_DYNAMIC)
      entry = (const Elf64_Dyn *)((uintptr_t)header + segments[i].p_offset);
  }
  for (; entry && entry->d_tag != DT_NULL; entry++) {
    const uintptr_t address = symbols->bias + entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB)
      symbols->names = address;
    else if (entry->d_tag == DT_SYMTAB)
      symbols->table = address;
    else if (entry->d_tag == DT_HASH)
      symbols->hash = address;
    else if (entry->d_tag == DT_GNU_HASH)
      symbols->gnu_hash = address;
  }
  return symbols->names && symbols->table;
}

/* How many there are, which only the tables that they are found by tell. */
static uint32_t count_symbols(const struct symbols *symbols)
{
  if (symbols->hash)
    return ((const uint32_t *)symbols->hash)[1];
  if (!symbols->gnu_hash)
    return 0;
  const uint32_t *head = (const uint32_t *)symbols->gnu_hash;
  const uint32_t bucket_count = head[0], first = head[1], words = head[2];
  const uint32_t *buckets = head + 4 + 2 * (size_t)words, *chains = buckets + bucket_count;
  uint32_t last = 0;
  for (uint32_t i = 0; i < bucket_count; i++)
    last = buckets[i] > last ? buckets[i] : last;
  if (last < first)
    return 0;
  while (!(chains[last - first] & 1))
    last++;
  return last + 1;
}

static read_fn *find_code(void)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
  struct symbols symbols;
  if (!header || !read_dynamic(header, &symbols))
    return read_by_call;
  place.start = (uintptr_t)header;
  __atomic_store_n(&place.size, symbols.size, __ATOMIC_RELEASE);
  const uint32_t count = count_symbols(&symbols);
  for (uint32_t i = 0; i < count; i++) {
    const Elf64_Sym *symbol = (const Elf64_Sym *)symbols.table + i;
    const char *name = (const char *)symbols.names + symbol->st_name;
    if (symbol->st_shndx != SHN_UNDEF && (prof_equal(name, "__vdso_clock_gettime") || /* x86-64 */
                                          prof_equal(name, "__kernel_clock_gettime")))
      return (read_fn *)(symbols.bias + symbol->st_value);
  }
  return read_by_call;
}

bool prof_kernel_clock_holds(uintptr_t address)
{
  const uintptr_t size = __atomic_load_n(&place.size, __ATOMIC_ACQUIRE);
  return address - place.start < size;
}

uint64_t prof_kernel_monotonic_ns(void)
{
  static read_fn *code;
  struct timespec now = {0, 0};
  read_fn *read = __atomic_load_n(&code, __ATOMIC_RELAXED);
  if (PROF_UNLIKELY(!read)) {
    read = find_code();
    __atomic_store_n(&code, read, __ATOMIC_RELAXED);
  }
  read(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
