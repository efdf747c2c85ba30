/*
 * The least that hooks of sleds can cost, to be preloaded: patches every sled of the program, at its start, into a call
 * of a hook that keeps all registers. BENCH_SLED_HOOKS says which: `empty` returns, `floor` reads the clock and throws
 * it away.
 *
 * Sleds are listed in the program's ELF file, in the section of gcc's plug-in or of clang's -fxray-instrument
 * (format/sled.h).
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/sled.h"

enum { PAGE = 4096, CALL = 0xe8, NEAR = 1 << 30 };

/* Both hooks, and where each begins. At a sled nothing lies below the stack pointer, so they may use what is there. */
extern const uint8_t empty_hook[], floor_hook[], hooks_end[];
__asm__(".section .rodata\n"
        "empty_hook: ret\n"
        ".balign 64\n"
        "floor_hook: mov %rax, -8(%rsp)\n"
        "  mov %rdx, -16(%rsp)\n"
        "  rdtsc\n"
        "  mov -8(%rsp), %rax\n"
        "  mov -16(%rsp), %rdx\n"
        "  ret\n"
        "hooks_end:\n"
        ".text\n");

static void fail(const char *what)
{
  fprintf(stderr, "sled_hooks: %s\n", what);
  exit(1);
}

/* The first module is the program itself. */
static int first_module(struct dl_phdr_info *info, size_t size, void *module)
{
  (void)size;
  *(struct dl_phdr_info *)module = *info;
  return 1;
}

/* Maps the program's own file. */
static const uint8_t *map_program(size_t *size)
{
  struct stat status;
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0)
    fail("the program's file cannot be opened");
  *size = (size_t)status.st_size;
  const uint8_t *data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED)
    fail("the program's file cannot be mapped");
  close(file);
  return data;
}

/* A page that calls from all of the text at `start` reach, with the hook in it. */
static const uint8_t *place_hook(uintptr_t start, const uint8_t *hook, const uint8_t *end)
{
  for (uintptr_t address = start & ~(uintptr_t)(PAGE - 1); address > PAGE && start - address < NEAR;
       address -= 16 * PAGE) {
    void *page =
        mmap((void *)address, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == MAP_FAILED)
      continue;
    memcpy(page, hook, (size_t)(end - hook));
    if (mprotect(page, PAGE, PROT_READ | PROT_EXEC) != 0)
      fail("a hook cannot be made executable");
    return page;
  }
  fail("no memory is free near the program");
  return NULL;
}

static void set_protection(const struct dl_phdr_info *module, int protection)
{
  for (unsigned i = 0; i < module->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    uintptr_t begin = module->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
    begin &= ~(uintptr_t)(PAGE - 1);
    if (mprotect((void *)begin, end - begin, protection) != 0)
      fail("the program's text cannot be made writable");
  }
}

/* Writes the call over a sled that is off, whose bytes tell its shape. */
static void patch(uint8_t *sled, const uint8_t *hook)
{
  static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00}, nop6[] = {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00};
  int32_t distance = (int32_t)(hook - (sled + 5));
  if (memcmp(sled, nop5, sizeof nop5) == 0)
    ;
  else if (sled[0] == 0xeb && sled[1] == 0x09)
    memcpy(sled + 5, nop6, sizeof nop6);
  else if (sled[0] == 0xc3)
    sled[5] = 0xc3;
  else
    fail("a sled has bytes that no sled begins with");
  sled[0] = CALL;
  memcpy(sled + 1, &distance, sizeof distance);
}

static unsigned patch_section(const struct dl_phdr_info *module, const ElfW(Shdr) * section, const uint8_t *hook)
{
  const uint8_t *entry = (const uint8_t *)(module->dlpi_addr + section->sh_addr);
  unsigned count = 0;
  for (size_t at = 0; at + sizeof(struct fmt_sled) <= section->sh_size; at += sizeof(struct fmt_sled), count++) {
    struct fmt_sled sled;
    memcpy(&sled, entry + at, sizeof sled);
    patch((uint8_t *)((uintptr_t)entry + at + (uintptr_t)sled.address), hook);
  }
  return count;
}

static __attribute__((constructor)) void patch_program(void)
{
  const char *wanted = getenv("BENCH_SLED_HOOKS");
  if (wanted == NULL)
    fail("BENCH_SLED_HOOKS is not set");
  struct dl_phdr_info module;
  size_t size;
  unsigned count = 0;
  dl_iterate_phdr(first_module, &module);
  const uint8_t *file = map_program(&size);
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file;
  const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + header->e_shoff);
  if (header->e_shoff + header->e_shnum * sizeof *sections > size)
    fail("the program's file has no sections");
  const char *names = (const char *)file + sections[header->e_shstrndx].sh_offset;
  bool floor = strcmp(wanted, "floor") == 0;
  const uint8_t *hook =
      place_hook(module.dlpi_addr + header->e_entry, floor ? floor_hook : empty_hook, floor ? hooks_end : floor_hook);
  set_protection(&module, PROT_READ | PROT_WRITE | PROT_EXEC);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    const char *name = names + sections[i].sh_name;
    if (strcmp(name, FMT_SLED_SECTION) == 0 || strcmp(name, FMT_SLED_SECTION_XRAY) == 0)
      count += patch_section(&module, &sections[i], hook);
  }
  set_protection(&module, PROT_READ | PROT_EXEC);
  if (count == 0)
    fail("the program has no sleds");
}
