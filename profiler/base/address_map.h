/*
 * What is known of blocks of memory, by their addresses: filled and emptied by any threads at once, without a lock.
 */
#ifndef CALLSIG_PROFILER_BASE_ADDRESS_MAP_H
#define CALLSIG_PROFILER_BASE_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Tables, each four times as large as the one before: from 4,096 addresses in 96 KiB to 16,777,216 in 384 MiB. Pages
 * of them that hold nothing take no memory. */
#define PROF_ADDRESS_LEVELS 7u

struct prof_address_values {
  uint64_t first, second;
};

/* Zeroed at first. A forked child finds it empty. */
struct prof_address_map {
  void *levels[PROF_ADDRESS_LEVELS]; /* made when those before are full; atomic. They are never given back */
  uint32_t most;                     /* how many there may be, at most PROF_ADDRESS_LEVELS; 0 for as many */
};

/* Keeps the values of an address that is not in the map. What happens to one address is the caller's to order: whoever
 * asks for a block has it alone until it is freed. False: the map is full, or there is no memory for more of it.
 * Anywhere. */
bool prof_address_map_put(struct prof_address_map *map, uintptr_t address, struct prof_address_values values);

/* Takes an address out, with its values. False: it is not there. Anywhere. */
bool prof_address_map_take(struct prof_address_map *map, uintptr_t address, struct prof_address_values *values);

#endif
