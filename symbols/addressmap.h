/*
 * A table from 64-bit keys to 32-bit values, open addressing. Zero-initialise; not thread-safe.
 */
#ifndef CALLSIG_SYMBOLS_ADDRESSMAP_H
#define CALLSIG_SYMBOLS_ADDRESSMAP_H

#include <stdint.h>

struct cs_address_map {
  struct cs_address_map_slot *slots;
  uint32_t slot_count, used;
};

/* The value of `key`, or UINT32_MAX when it has none. */
uint32_t cs_address_map_get(const struct cs_address_map *map, uint64_t key);

/* Gives `key` a value other than UINT32_MAX, in place of an earlier one. -ENOMEM. */
int cs_address_map_put(struct cs_address_map *map, uint64_t key, uint32_t value);

void cs_address_map_free(struct cs_address_map *map);

#endif
