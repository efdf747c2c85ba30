/*
 * Memory for arrays that may become large: mapped in large pages once it is worth it.
 */
#include "base/hugepage_array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A large page is 2 MiB on x86-64, and on arm64 with pages of 4 KiB. Less than MAPPED_MIN comes from malloc(). */
#define LARGE_PAGE ((size_t)1 << 21)
#define MAPPED_MIN (2 * LARGE_PAGE)

static size_t whole_pages(size_t size)
{
  return (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

/* A range of addresses, not accessible yet, that begins where a large page may: memory that is moved from one such
 * range to another keeps its large pages. */
static void *reserve(size_t size)
{
  char *range = mmap(NULL, size + LARGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return NULL;
  size_t before = -(uintptr_t)range & (LARGE_PAGE - 1);
  if (before > 0)
    munmap(range, before);
  munmap(range + before + size, LARGE_PAGE - before);
  return range + before;
}

static void *map(size_t size)
{
  void *range = reserve(size);
  if (!range || mprotect(range, size, PROT_READ | PROT_WRITE) == 0)
    return range;
  munmap(range, size);
  return NULL;
}

static void *move(void *memory, size_t old_size, size_t size)
{
  void *range = reserve(size);
  if (!range || mremap(memory, old_size, size, MREMAP_MAYMOVE | MREMAP_FIXED, range) != MAP_FAILED)
    return range;
  munmap(range, size);
  return NULL;
}

static void *resize_mapped(void *memory, size_t old_size, size_t size)
{
  old_size = memory ? whole_pages(old_size) : 0;
  size = whole_pages(size);
  if (old_size == size)
    return memory;
  void *range = memory ? mremap(memory, old_size, size, 0) : map(size);
  if (range == MAP_FAILED)
    range = move(memory, old_size, size);
  if (range)
    madvise(range, size, MADV_HUGEPAGE);
  return range;
}

void *base_hugepage_array_resize(void *memory, size_t old_size, size_t size)
{
  if (size > SIZE_MAX / 2)
    return NULL;
  if (size < MAPPED_MIN && old_size < MAPPED_MIN)
    return realloc(memory, size ? size : 1);
  if (size >= MAPPED_MIN && (!memory || old_size >= MAPPED_MIN))
    return resize_mapped(memory, old_size, size);
  void *other = base_hugepage_array_resize(NULL, 0, size);
  if (other) {
    memcpy(other, memory, old_size < size ? old_size : size);
    base_hugepage_array_free(memory, old_size);
  }
  return other;
}

void *base_hugepage_array_new(size_t count, size_t entry_size)
{
  size_t size;
  return __builtin_mul_overflow(count, entry_size, &size) ? NULL : base_hugepage_array_resize(NULL, 0, size);
}

void base_hugepage_array_free(void *memory, size_t size)
{
  if (memory && size >= MAPPED_MIN)
    munmap(memory, whole_pages(size));
  else
    free(memory);
}
