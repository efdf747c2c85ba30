/*
 * Arenas: private memory of the profiler, for hash tables and the like.
 */
#ifndef CALLSIG_PROFILER_BASE_ARENA_H
#define CALLSIG_PROFILER_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* Chunks of anonymous memory, zeroed, given back all at once. All zero is an empty arena. One thread at a time. */
struct prof_arena {
  struct prof_arena_chunk *chunks;
  uint8_t *next, *end;
};

/* Chunks that arenas gave back, zeroed; first ones apart: see arena_slab.h. */
struct prof_arena_spare {
  struct prof_arena_chunk *chunks;
  size_t bytes;
};

/* Tells, once, that the kernel refused memory with this negative errno while calls are recorded: some will be lost.
 * Before, whoever asked tells of it. Anywhere. */
void prof_memory_refused(long error);

/* `size` zeroed bytes, 16-byte aligned (64 for 64 and more), that stay until prof_arena_free(); NULL when there is no
 * memory. In a slow section. */
void *prof_arena_alloc(struct prof_arena *arena, size_t size);
/* Gives all of the arena's memory back and leaves it empty. In a slow section. */
void prof_arena_free(struct prof_arena *arena);
/* The same as prof_arena_alloc() from the process's own arena, for what lives as long as the process: takes
 * arena_lock. With signals blocked. */
void *prof_process_alloc(size_t size);

#endif
