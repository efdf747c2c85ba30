/*
 * The runtime's own mappings: asked for where nobody else is, one behind the other; where that cannot be, the kernel
 * chooses. Scratch memory is a few of one size, each handed out to one thread at a time without a lock.
 */
#include "profiler/base/own_memory.h"

#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "profiler/base/syscall.h"

#define KEPT      4u
#define KEPT_SIZE ((size_t)16 << 10)

static void *kept[KEPT];

/* Below the runtime's own code, and within what ThreadSanitizer allows: from 0x7e8000000000 on. */
#define AWAY ((uintptr_t)1 << 38)
#define SPAN ((uintptr_t)1 << 36)
#define PAGE 4096u

long prof_map_own(size_t size)
{
  static uintptr_t used;
  const uintptr_t pages = (size + PAGE - 1) & ~(uintptr_t)(PAGE - 1), here = (uintptr_t)&kept & ~(uintptr_t)(PAGE - 1);
  const uintptr_t behind = AWAY + __atomic_add_fetch(&used, pages, __ATOMIC_RELAXED) % SPAN;
  return prof_sys_mmap(here > behind ? here - behind : 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0);
}

/* Beyond the mappings above, and downwards from there. */
#define GROWING ((uintptr_t)1 << 37)
/* The kernel's own places for what it is to choose a place for lie at most so far below the stack. */
#define RANDOM ((uintptr_t)1 << 40)

uintptr_t prof_growing_place(uint64_t size)
{
  static uintptr_t used;
  const uintptr_t stack = (uintptr_t)getauxval(AT_RANDOM), lowest = stack > RANDOM ? stack - RANDOM : 0;
  const uintptr_t code = (uintptr_t)&kept, anchor = (code > lowest ? code : lowest) & ~(uintptr_t)(PAGE - 1);
  const uintptr_t pages = (size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
  const uintptr_t behind = AWAY + SPAN + __atomic_add_fetch(&used, pages, __ATOMIC_RELAXED) % GROWING;
  return anchor > behind ? anchor - behind : 0;
}

static size_t mapped_size(size_t size)
{
  return size < KEPT_SIZE ? KEPT_SIZE : size;
}

void *prof_scratch_take(size_t size)
{
  for (unsigned i = 0; i < KEPT && size <= KEPT_SIZE; i++) {
    void *memory = __atomic_exchange_n(&kept[i], NULL, __ATOMIC_ACQUIRE);
    if (memory)
      return memory;
  }
  long mapped = prof_map_own(mapped_size(size));
  return prof_sys_failed(mapped) ? NULL : (void *)mapped;
}

void prof_scratch_give(void *memory, size_t size)
{
  for (unsigned i = 0; i < KEPT && size <= KEPT_SIZE; i++) {
    void *none = NULL;
    if (__atomic_compare_exchange_n(&kept[i], &none, memory, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return;
  }
  prof_sys_munmap(memory, mapped_size(size));
}
