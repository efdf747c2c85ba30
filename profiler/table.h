/*
 * Open-addressing hash tables over struct cs_table: items that are never removed. A lookup walks the slots of a hash
 * and compares items itself:
 *
 *   for (uint64_t i = hash; (slot = cs_table_at(table, i))->item; i++)
 *     if (slot->hash == hash && matches(slot->item)) ...
 *
 * Reading is safe in a hook that interrupted a slow section of the same thread only because such hooks return at once.
 */
#ifndef CALLSIG_TABLE_H
#define CALLSIG_TABLE_H

#include "internal.h"

/* Makes a table of `slots` slots, a power of two. False when there is no memory. */
static inline bool cs_table_init(struct cs_table *table, struct cs_arena *arena, uint64_t slots)
{
  table->slots = cs_arena_alloc(arena, slots * sizeof *table->slots);
  table->mask = slots - 1;
  table->used = 0;
  return table->slots != NULL;
}

static inline struct cs_table_slot *cs_table_at(const struct cs_table *table, uint64_t place)
{
  return &table->slots[place & table->mask];
}

static inline uint64_t cs_hash_mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Adds an item that is not there yet; doubles the table when it is half full. False when there is no memory. Old slots
 * stay in the arena: together they are no larger than the new ones. */
static inline bool cs_table_add(struct cs_table *table, struct cs_arena *arena, uint64_t hash, void *item)
{
  if (table->used * 2 > table->mask) {
    struct cs_table larger;
    if (!cs_table_init(&larger, arena, (table->mask + 1) * 2))
      return false;
    for (uint64_t i = 0; i <= table->mask; i++) {
      if (!table->slots[i].item)
        continue;
      uint64_t place = table->slots[i].hash;
      while (cs_table_at(&larger, place)->item)
        place++;
      *cs_table_at(&larger, place) = table->slots[i];
    }
    larger.used = table->used;
    *table = larger;
  }
  uint64_t place = hash;
  while (cs_table_at(table, place)->item)
    place++;
  *cs_table_at(table, place) = (struct cs_table_slot){hash, item};
  table->used++;
  return true;
}

#endif
