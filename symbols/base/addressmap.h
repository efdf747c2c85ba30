/*
 * A table from 64-bit keys to 32-bit values, open addressing. Zero-initialise; not thread-safe.
 */
#ifndef CALLSIG_SYMBOLS_BASE_ADDRESSMAP_H
#define CALLSIG_SYMBOLS_BASE_ADDRESSMAP_H

#include <stdint.h>

struct sym_address_map {
  struct sym_address_map_slot *slots;
  uint32_t slot_count, used;
};

/* The value of `key`, or UINT32_MAX when it has none. */
uint32_t sym_address_map_get(const struct sym_address_map *map, uint64_t key);

/* Gives `key` a value other than UINT32_MAX, in place of an earlier one. -ENOMEM. */
int sym_address_map_put(struct sym_address_map *map, uint64_t key, uint32_t value);

/* Frees the table and leaves an empty one. */
void sym_address_map_free(struct sym_address_map *map);

#endif
