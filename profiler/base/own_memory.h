/*
 * The runtime's own mappings, away from where modules come and go: what took the place of one that was unloaded would
 * keep it from coming back there.
 */
#ifndef CALLSIG_PROFILER_BASE_OWN_MEMORY_H
#define CALLSIG_PROFILER_BASE_OWN_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

/* Anywhere. */
static inline uintptr_t prof_page_size(void)
{
  return (uintptr_t)getauxval(AT_PAGESZ);
}

/* Maps `size` zeroed bytes, far from what the loader and the program have mapped if there is room. The address, or a
 * negative errno: compare with prof_sys_failed(). Anywhere. */
long prof_map_own(size_t size);

/* `size` bytes for a short while, of any contents, which may be kept for the next one who needs some. NULL: no memory.
 * Anywhere. */
void *prof_scratch_take(size_t size);
/* Gives back what was taken with this size, in this process or, before a fork, in its parent. */
void prof_scratch_give(void *memory, size_t size);

/* Where a mapping may begin that grows to `size` bytes, and nobody else is likely to ask for addresses: another place
 * each time. 0: none is known. */
uintptr_t prof_growing_place(uint64_t size);

#endif
