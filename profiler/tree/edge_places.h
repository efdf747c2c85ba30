/*
 * Where hooks look for edges first: a thread's tables with one place for each hash, which grow with its tree.
 *
 * A place is the address of the table plus a hash of which `mask` leaves some bits: the place's distance in bytes. What
 * lies there is verified by whoever looks, so a table may be replaced at any moment.
 */
#ifndef CALLSIG_PROFILER_TREE_EDGE_PLACES_H
#define CALLSIG_PROFILER_TREE_EDGE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/stack/thread.h"

/* What lies in a place of `codes` where no edge was: by its mode it is of no site. */
extern struct fmt_rec_edge prof_no_edge;

/* The thread's first tables, which are small. In a slow section. False: no memory. */
bool prof_edge_places_make(struct prof_thread *t);
/* Makes them larger when the thread's tree has more edges than they are for. In a slow section. */
void prof_edge_places_grow(struct prof_thread *t);

/* The place of a hash. The mask is read first, and is stored last: where a signal handler puts a larger table in
 * between, the smaller mask stays inside of it. */
static inline struct fmt_rec_edge **prof_edge_place(struct fmt_rec_edge **const *table, const uint32_t *mask,
                                                    uint64_t hash)
{
  uint64_t distance = hash & __atomic_load_n(mask, __ATOMIC_ACQUIRE);
  return (struct fmt_rec_edge **)((uintptr_t)__atomic_load_n(table, __ATOMIC_RELAXED) + distance);
}

/* Where the thread's cache keeps an edge from `from` at the site `pc`. Anywhere. */
static inline struct fmt_rec_edge **prof_cache_place(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                                     uintptr_t pc)
{
  uint32_t hash = (uint32_t)((uintptr_t)from ^ pc) * (uint32_t)PROF_CACHE_FACTOR;
  return prof_edge_place(&t->cache, &t->cache_mask, hash);
}

#endif
