/*
 * Near memory: found in a gap between the process's mappings.
 *
 * Below the module if there is room, since what lies above a program is where its heap grows; the gap that is nearest
 * to the module wins, and in it the end that is. Small gaps come last: they are where a module was, which then could
 * not come back to its place.
 */
#include "profiler/sled/near_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "profiler/base/proc_maps.h"
#include "profiler/base/syscall.h"

#define PAGE           4096u
#define LOWEST_ADDRESS 0x10000u              /* vm.mmap_min_addr, as kernels are set up */
#define HEAP_ROOM      ((uint64_t)256 << 20) /* left free above a module */
#define LARGE_GAP      ((uint64_t)64 << 20)
#define ATTEMPTS       8u /* another thread may take a gap first */

struct search {
  uintptr_t low, high; /* of the module */
  uint64_t reach;
  size_t size;
  uint64_t least;         /* of a gap that is taken */
  uintptr_t previous_end; /* of the mapping before */
  uintptr_t below, above; /* the best so far, 0 for none */
};

/* Takes the free range [start, end) into account. */
static void consider(struct search *search, uintptr_t start, uintptr_t end)
{
  if (end <= start || end - start < search->least)
    return;
  if (end <= search->low) {
    uintptr_t place = end - PAGE - search->size;
    if (search->high - place <= search->reach)
      search->below = place;
  } else if (start >= search->high && !search->above) {
    uintptr_t place = start + HEAP_ROOM + search->size + PAGE <= end ? start + HEAP_ROOM : start + PAGE;
    if (place + search->size - search->low <= search->reach)
      search->above = place;
  }
}

static bool visit(const struct prof_mapping *mapping, void *data)
{
  struct search *search = data;
  consider(search, search->previous_end, mapping->low);
  search->previous_end = mapping->high;
  return true;
}

/* 0, or a negative errno. */
static long find_gap(struct search *search, uintptr_t *place)
{
  const uint64_t least[] = {LARGE_GAP + search->size, search->size + 2 * PAGE};
  for (unsigned i = 0; i < sizeof least / sizeof *least; i++) {
    search->least = least[i];
    search->previous_end = LOWEST_ADDRESS;
    int error = prof_proc_maps_walk(visit, search);
    if (error < 0)
      return error;
    *place = search->below ? search->below : search->above;
    if (*place)
      return 0;
  }
  return -ENOMEM;
}

long prof_near_map(uintptr_t low, uintptr_t high, uint64_t reach, size_t size)
{
  long result = -ENOMEM;
  size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
  for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
    uintptr_t place = 0;
    long error = find_gap(&(struct search){.low = low, .high = high, .reach = reach, .size = size}, &place);
    if (error < 0)
      return error;
    result =
        prof_sys_mmap(place, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    /* A kernel before 4.17 takes the address for a wish. */
    if (!prof_sys_failed(result) && (uintptr_t)result != place) {
      prof_sys_munmap((void *)result, size);
      return -ENOMEM;
    }
    if (result != -EEXIST)
      return result;
  }
  return result;
}
