/*
 * Private memory of the runtime: chunks of anonymous mappings, never the program's malloc.
 */
#include <sys/mman.h>

#include "internal.h"

#define CHUNK_SIZE ((size_t)64 << 10)

struct cs_arena_chunk {
  struct cs_arena_chunk *next;
  size_t size;
};

/* A fresh chunk that holds `size` bytes, zeroed by the kernel. */
static bool add_chunk(struct cs_arena *arena, size_t size)
{
  size_t bytes = size + 64 > CHUNK_SIZE ? (size + 64 + 4095) & ~(size_t)4095 : CHUNK_SIZE;
  long address = cs_sys_mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (cs_sys_failed(address))
    return false;
  struct cs_arena_chunk *chunk = (struct cs_arena_chunk *)address;
  chunk->next = arena->chunks;
  chunk->size = bytes;
  arena->chunks = chunk;
  /* A chunk made for one large item leaves the room of the older chunk in use. */
  if (bytes > CHUNK_SIZE && arena->next)
    return true;
  arena->next = (uint8_t *)chunk + 64;
  arena->end = (uint8_t *)chunk + bytes;
  return true;
}

void *cs_arena_alloc(struct cs_arena *arena, size_t size)
{
  size_t alignment = size >= 64 ? 64 : 16;
  uintptr_t at = ((uintptr_t)arena->next + alignment - 1) & ~(alignment - 1);
  if (!arena->next || at + size > (uintptr_t)arena->end) {
    if (!add_chunk(arena, size))
      return NULL;
    if (arena->chunks->size > CHUNK_SIZE && (uint8_t *)arena->chunks + 64 != arena->next)
      return (uint8_t *)arena->chunks + 64;
    at = (uintptr_t)arena->next;
  }
  arena->next = (uint8_t *)(at + size);
  return (void *)at;
}

void cs_arena_free(struct cs_arena *arena)
{
  struct cs_arena_chunk *chunk = arena->chunks;
  *arena = (struct cs_arena){0};
  while (chunk) {
    struct cs_arena_chunk *next = chunk->next;
    cs_sys_munmap(chunk, chunk->size);
    chunk = next;
  }
}

void *cs_process_alloc(size_t size)
{
  cs_lock(&cs_process.arena_lock);
  void *memory = cs_arena_alloc(&cs_process.arena, size);
  cs_unlock(&cs_process.arena_lock);
  return memory;
}
