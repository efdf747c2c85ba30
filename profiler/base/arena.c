/*
 * Private memory of the runtime: chunks of anonymous mappings, never the program's malloc.
 */
#include "profiler/base/arena.h"

#include <stdbool.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/arena_slab.h"
#include "profiler/base/lock.h"
#include "profiler/base/message.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

#define CHUNK_SIZE   ((size_t)64 << 10)
#define FIRST_SIZE   PROF_SLAB_CHUNK /* of an arena's first chunk, which is all that most threads need */
#define CHUNK_HEADER 64u
/* Kept for the arenas of later threads, which then need no system calls and no page faults. */
#define SPARE_BYTES ((size_t)2 << 20)

struct prof_arena_chunk {
  struct prof_arena_chunk *next;
  size_t size;
  struct prof_arena_slab *slab; /* that it is of; NULL: it was mapped alone */
};

/* A zeroed chunk of CHUNK_SIZE that an arena gave back, or NULL. */
static struct prof_arena_chunk *take_spare(void)
{
  struct prof_arena_spare *spares = &prof_process.spare_chunks;
  if (!__atomic_load_n(&spares->chunks, __ATOMIC_RELAXED))
    return NULL;
  prof_lock(&prof_process.arena_lock);
  struct prof_arena_chunk *chunk = spares->chunks;
  if (chunk) {
    spares->chunks = chunk->next;
    spares->bytes -= CHUNK_SIZE;
  }
  prof_unlock(&prof_process.arena_lock);
  return chunk;
}

/* Keeps a chunk of which the first `used` bytes were in use. False: there are enough. */
static bool keep_spare(struct prof_arena_chunk *chunk, size_t used)
{
  struct prof_arena_spare *spares = &prof_process.spare_chunks;
  if (chunk->size != CHUNK_SIZE || __atomic_load_n(&spares->bytes, __ATOMIC_RELAXED) >= SPARE_BYTES)
    return false;
  prof_bytes_fill((uint8_t *)chunk + CHUNK_HEADER, 0, used - CHUNK_HEADER);
  prof_lock(&prof_process.arena_lock);
  chunk->next = spares->chunks;
  spares->chunks = chunk;
  spares->bytes += chunk->size;
  prof_unlock(&prof_process.arena_lock);
  return true;
}

void prof_memory_refused(long error)
{
  static bool told;
  if (__atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) == PROF_PROCESS_RECORDING &&
      !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
    prof_message(
        "memory is refused (error %ld): calls that need some are not recorded, only counted; raise RLIMIT_AS or "
        "RLIMIT_DATA",
        -error);
}

/* Gives back a chunk of which the first `used` bytes were in use. */
static void give_chunk(struct prof_arena_chunk *chunk, size_t used)
{
  if (chunk->slab)
    prof_slab_give(chunk->slab, chunk, used);
  else if (!keep_spare(chunk, used))
    prof_sys_munmap(chunk, chunk->size);
}

/* A zeroed chunk for this arena. */
static struct prof_arena_chunk *take_chunk(const struct prof_arena *arena, size_t bytes)
{
  /* The process's own arena is filled under the lock that what others gave back is under. */
  const bool shares = arena != &prof_process.arena;
  struct prof_arena_slab *slab = NULL;
  struct prof_arena_chunk *chunk = NULL;
  if (shares && bytes == CHUNK_SIZE)
    chunk = take_spare();
  else if (shares && bytes == FIRST_SIZE)
    chunk = prof_slab_take(&slab);
  if (!chunk) {
    long address = prof_map_own(bytes);
    if (prof_sys_failed(address)) {
      prof_memory_refused(address);
      return NULL;
    }
    chunk = (struct prof_arena_chunk *)address;
  }
  chunk->slab = slab;
  return chunk;
}

/* A chunk that holds `size` bytes, zeroed. */
static bool add_chunk(struct prof_arena *arena, size_t size)
{
  size_t bytes = arena->chunks || size + CHUNK_HEADER > FIRST_SIZE ? CHUNK_SIZE : FIRST_SIZE;
  if (size + CHUNK_HEADER > CHUNK_SIZE)
    bytes = (size + CHUNK_HEADER + 4095) & ~(size_t)4095;
  struct prof_arena_chunk *chunk = take_chunk(arena, bytes);
  if (!chunk)
    return false;
  chunk->next = arena->chunks;
  chunk->size = bytes;
  arena->chunks = chunk;
  /* A chunk made for one large item leaves the room of the older chunk in use. */
  if (bytes > CHUNK_SIZE && arena->next)
    return true;
  arena->next = (uint8_t *)chunk + CHUNK_HEADER;
  arena->end = (uint8_t *)chunk + bytes;
  return true;
}

void *prof_arena_alloc(struct prof_arena *arena, size_t size)
{
  size_t alignment = size >= 64 ? 64 : 16;
  uintptr_t at = ((uintptr_t)arena->next + alignment - 1) & ~(alignment - 1);
  if (!arena->next || at + size > (uintptr_t)arena->end) {
    if (!add_chunk(arena, size))
      return NULL;
    if (arena->chunks->size > CHUNK_SIZE && (uint8_t *)arena->chunks + CHUNK_HEADER != arena->next)
      return (uint8_t *)arena->chunks + CHUNK_HEADER;
    at = (uintptr_t)arena->next;
  }
  arena->next = (uint8_t *)(at + size);
  return (void *)at;
}

void prof_arena_free(struct prof_arena *arena)
{
  struct prof_arena_chunk *chunk = arena->chunks;
  const uint8_t *next_free = arena->next;
  *arena = (struct prof_arena){0};
  while (chunk) {
    struct prof_arena_chunk *next = chunk->next;
    bool current = next_free > (uint8_t *)chunk && next_free <= (uint8_t *)chunk + chunk->size;
    give_chunk(chunk, current ? (size_t)(next_free - (uint8_t *)chunk) : chunk->size);
    chunk = next;
  }
}

void *prof_process_alloc(size_t size)
{
  prof_lock(&prof_process.arena_lock);
  void *memory = prof_arena_alloc(&prof_process.arena, size);
  prof_unlock(&prof_process.arena_lock);
  return memory;
}
