/*
 * The first chunks of arenas, of which each thread has one: mapped and given back many together.
 */
#include "profiler/base/arena_slab.h"

#include <stdbool.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/lock.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

#define CHUNKS     16u
#define MOST_EMPTY 15u /* kept for later threads, which then need no system calls and no page faults: 2 MB */
#define HEAD       4096u
#define SLAB_SIZE  (HEAD + CHUNKS * PROF_SLAB_CHUNK)

/* A chunk that was given back; zeroed behind this. */
struct spare {
  struct spare *next;
};

/* The head of a mapping. */
struct prof_arena_slab {
  struct prof_arena_slab *next, *previous; /* that have a chunk to take */
  struct spare *spares;
  uint32_t fresh; /* so many chunks somebody has had: the others were never touched */
  uint32_t taken; /* so many somebody has */
  uint32_t epoch; /* the process's, when this was mapped */
};

static void put_on_list(struct prof_arena_slab *slab)
{
  struct prof_arena_slabs *slabs = &prof_process.slabs;
  slab->previous = NULL;
  slab->next = slabs->first;
  if (slab->next)
    slab->next->previous = slab;
  slabs->first = slab;
}

static void take_off_list(struct prof_arena_slab *slab)
{
  if (slab->next)
    slab->next->previous = slab->previous;
  if (slab->previous)
    slab->previous->next = slab->next;
  else
    prof_process.slabs.first = slab->next;
}

/* Maps another, if there is memory. */
static void add(void)
{
  long address = prof_map_own(SLAB_SIZE);
  if (prof_sys_failed(address))
    return;
  struct prof_arena_slab *slab = (struct prof_arena_slab *)address;
  slab->epoch = prof_process.epoch;
  prof_process.slabs.empty++;
  put_on_list(slab);
}

static void *cut(struct prof_arena_slab *slab)
{
  struct spare *spare = slab->spares;
  if (slab->taken == 0)
    prof_process.slabs.empty--;
  if (++slab->taken == CHUNKS)
    take_off_list(slab);
  if (!spare)
    return (uint8_t *)slab + HEAD + slab->fresh++ * PROF_SLAB_CHUNK;
  slab->spares = spare->next;
  spare->next = NULL;
  return spare;
}

void *prof_slab_take(struct prof_arena_slab **slab)
{
  prof_lock(&prof_process.arena_lock);
  if (!prof_process.slabs.first)
    add();
  *slab = prof_process.slabs.first;
  void *chunk = *slab ? cut(*slab) : NULL;
  prof_unlock(&prof_process.arena_lock);
  return chunk;
}

void prof_slab_give(struct prof_arena_slab *slab, void *chunk, size_t used)
{
  /* Another thread of the parent's may have been in the middle of it as this process was forked. */
  if (slab->epoch != prof_process.epoch) {
    prof_sys_munmap(chunk, PROF_SLAB_CHUNK);
    return;
  }
  struct spare *spare = chunk;
  prof_bytes_fill(chunk, 0, used);
  prof_lock(&prof_process.arena_lock);
  spare->next = slab->spares;
  slab->spares = spare;
  if (slab->taken == CHUNKS)
    put_on_list(slab);
  const bool gone = --slab->taken == 0 && prof_process.slabs.empty >= MOST_EMPTY;
  if (gone)
    take_off_list(slab);
  else if (slab->taken == 0)
    prof_process.slabs.empty++;
  prof_unlock(&prof_process.arena_lock);
  if (gone)
    prof_sys_munmap(slab, SLAB_SIZE);
}
