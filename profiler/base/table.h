/*
 * Open-addressing hash tables over struct prof_table: items that are never removed. A lookup walks the slots of a hash
 * and compares items itself:
 *
 *   for (uint64_t i = hash; (slot = prof_table_at(table, i))->item; i++)
 *     if (slot->hash == hash && matches(slot->item)) ...
 *
 * Reading is safe in a hook that interrupted a slow section of the same thread only because such hooks return at once.
 * A hook that is interrupted itself while it reads may go on in a larger table: then it misses what it would have
 * found, at the most.
 */
#ifndef CALLSIG_PROFILER_BASE_TABLE_H
#define CALLSIG_PROFILER_BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/arena.h"

/* An open-addressing table of items, keyed by a hash that the caller makes. */
struct prof_table_slot {
  uint64_t hash;
  void *item; /* NULL: free */
};

struct prof_table {
  struct prof_table_slot *slots;
  uint64_t mask; /* slots - 1, the number of slots is a power of two; 0 while there are none */
  uint64_t used;
};

/* Makes a table of `slots` slots, a power of two. False when there is no memory. */
static inline bool prof_table_init(struct prof_table *table, struct prof_arena *arena, uint64_t slots)
{
  table->slots = prof_arena_alloc(arena, slots * sizeof *table->slots);
  table->mask = slots - 1;
  table->used = 0;
  return table->slots != NULL;
}

/* The mask is read first: where a signal handler's hooks double the table in between, the smaller mask stays inside of
 * the larger one. */
static inline struct prof_table_slot *prof_table_at(const struct prof_table *table, uint64_t place)
{
  const uint64_t number = place & __atomic_load_n(&table->mask, __ATOMIC_ACQUIRE);
  return &__atomic_load_n(&table->slots, __ATOMIC_RELAXED)[number];
}

static inline uint64_t prof_hash_mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Adds an item that is not there yet; doubles the table when it is half full. False when there is no memory. Old slots
 * stay in the arena: together they are no larger than the new ones. */
static inline bool prof_table_add(struct prof_table *table, struct prof_arena *arena, uint64_t hash, void *item)
{
  if (table->used * 2 > table->mask) {
    struct prof_table larger;
    if (!prof_table_init(&larger, arena, (table->mask + 1) * 2))
      return false;
    for (uint64_t i = 0; i <= table->mask; i++) {
      if (!table->slots[i].item)
        continue;
      uint64_t place = table->slots[i].hash;
      while (prof_table_at(&larger, place)->item)
        place++;
      *prof_table_at(&larger, place) = table->slots[i];
    }
    larger.used = table->used;
    *table = larger;
  }
  uint64_t place = hash;
  while (prof_table_at(table, place)->item)
    place++;
  *prof_table_at(table, place) = (struct prof_table_slot){hash, item};
  table->used++;
  return true;
}

#endif
