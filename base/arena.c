/*
 * Memory that is given back all at once: chunks that only grow until all are freed.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct base_arena_chunk {
  struct base_arena_chunk *next;
  size_t size; /* bytes of data */
  _Alignas(max_align_t) char data[];
};

enum { CHUNK_SIZE = 64 * 1024, ALIGNMENT = _Alignof(max_align_t) };

void *base_arena_alloc(struct base_arena *arena, size_t size)
{
  if (size > (size_t)-1 / 4)
    return NULL;
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (!arena->chunks || arena->chunks->size - arena->used < size) {
    size_t capacity = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct base_arena_chunk *chunk = calloc(1, sizeof *chunk + capacity);
    if (!chunk)
      return NULL;
    chunk->size = capacity;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used = 0;
  }
  void *out = arena->chunks->data + arena->used;
  arena->used += size;
  return out;
}

void *base_arena_copy(struct base_arena *arena, const void *data, size_t size)
{
  char *out = base_arena_alloc(arena, size + 1);
  if (out && size)
    memcpy(out, data, size);
  return out;
}

char *base_arena_vprintf(struct base_arena *arena, const char *format, va_list list)
{
  char *text = NULL;
  int length = vasprintf(&text, format, list);
  if (length < 0)
    return NULL;
  char *out = base_arena_copy(arena, text, (size_t)length);
  free(text);
  return out;
}

char *base_arena_printf(struct base_arena *arena, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  char *out = base_arena_vprintf(arena, format, list);
  va_end(list);
  return out;
}

void base_arena_free(struct base_arena *arena)
{
  while (arena->chunks) {
    struct base_arena_chunk *next = arena->chunks->next;
    free(arena->chunks);
    arena->chunks = next;
  }
  arena->used = 0;
}
