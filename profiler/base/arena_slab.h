/*
 * The first chunks of arenas, of which each thread has one: mapped and given back many together.
 *
 * Where thousands of threads begin or end at once, a system call of each that changes the process's mappings would have
 * it wait for all others.
 */
#ifndef CALLSIG_PROFILER_BASE_ARENA_SLAB_H
#define CALLSIG_PROFILER_BASE_ARENA_SLAB_H

#include <stddef.h>
#include <stdint.h>

#define PROF_SLAB_CHUNK ((size_t)8 << 10) /* bytes of a chunk */

struct prof_arena_slab;

/* Those that have a chunk to take. Under the process's arena_lock. */
struct prof_arena_slabs {
  struct prof_arena_slab *first;
  uint32_t empty; /* how many of them nobody has a chunk of */
};

/* A zeroed chunk, and in *slab what it is given back to; NULL when there is no memory for so many. Takes arena_lock.
 * With signals blocked. */
void *prof_slab_take(struct prof_arena_slab **slab);
/* Gives back a chunk of which no more than the first `used` bytes were written, in this process or, before a fork, in
 * its parent. Takes arena_lock. With signals blocked. */
void prof_slab_give(struct prof_arena_slab *slab, void *chunk, size_t used);

#endif
