/*
 * A hash table from 64-bit keys to 32-bit values.
 */
#include "symbols/base/addressmap.h"

#include <errno.h>
#include <stdlib.h>

struct sym_address_map_slot {
  uint64_t key;
  uint32_t value; /* UINT32_MAX: free */
};

static struct sym_address_map_slot *find(const struct sym_address_map *map, uint64_t key)
{
  uint32_t mask = map->slot_count - 1;
  uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & mask;
  while (map->slots[at].value != UINT32_MAX && map->slots[at].key != key)
    at = (at + 1) & mask;
  return &map->slots[at];
}

static int grow(struct sym_address_map *map)
{
  struct sym_address_map larger = {.slot_count = map->slot_count ? map->slot_count * 2 : 1024, .used = map->used};
  if (larger.slot_count == 0)
    return -ENOMEM;
  larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
  if (!larger.slots)
    return -ENOMEM;
  for (uint32_t i = 0; i < larger.slot_count; i++)
    larger.slots[i].value = UINT32_MAX;
  for (uint32_t i = 0; i < map->slot_count; i++)
    if (map->slots[i].value != UINT32_MAX)
      *find(&larger, map->slots[i].key) = map->slots[i];
  free(map->slots);
  *map = larger;
  return 0;
}

uint32_t sym_address_map_get(const struct sym_address_map *map, uint64_t key)
{
  return map->slot_count ? find(map, key)->value : UINT32_MAX;
}

int sym_address_map_put(struct sym_address_map *map, uint64_t key, uint32_t value)
{
  if (map->used >= map->slot_count / 2) {
    int error = grow(map);
    if (error)
      return error;
  }
  struct sym_address_map_slot *slot = find(map, key);
  if (slot->value == UINT32_MAX)
    map->used++;
  slot->key = key;
  slot->value = value;
  return 0;
}

void sym_address_map_free(struct sym_address_map *map)
{
  free(map->slots);
  *map = (struct sym_address_map){0};
}
