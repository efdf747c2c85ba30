/*
 * A hash set of 32-bit numbers whose contents live in the owner's arrays: how functions, signatures and rows are
 * interned.
 *
 * Open addressing, linear probing, at most three quarters full, eight bytes a slot. Contents are compared in full:
 * equal hashes never make two entries one. Zero-initialise; not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_TEXT_IDSET_H
#define CALLSIG_OUTPUT_TEXT_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out_idset {
  struct out_idset_slot {
    uint32_t number; /* UINT32_MAX: free */
    uint32_t hash;
  } * slots;
  size_t slot_count, used;
};

/* Is entry `number` of `owner` the one that `key` describes? */
typedef bool (*out_idset_equal)(const void *owner, uint32_t number, const void *key);

/* The number that was added for `key`, or UINT32_MAX. */
uint32_t out_idset_find(const struct out_idset *set, uint64_t hash, const void *owner, const void *key,
                        out_idset_equal equal);

/* Adds a number that out_idset_find() did not find. -ENOMEM. */
int out_idset_add(struct out_idset *set, uint64_t hash, uint32_t number);

/* Makes room for `count` more numbers, so that adding them does not fail. -ENOMEM. */
int out_idset_reserve(struct out_idset *set, size_t count);

/* Where looking for a hash begins is fetched from memory while something else is done. */
static inline void out_idset_prefetch(const struct out_idset *set, uint64_t hash)
{
  if (set->slot_count)
    __builtin_prefetch(&set->slots[(uint32_t)hash & (set->slot_count - 1)]);
}

void out_idset_free(struct out_idset *set);

/* Mixes a number into a hash. Either may be a small number: the hash is spread before they meet, so that pairs with
 * equal exclusive ors, as neighbours have, do not fall together. The constants are those of xxHash. */
static inline uint64_t out_hash_mix(uint64_t hash, uint64_t value)
{
  hash = (hash * 0x165667B19E3779F9u ^ value) * 0x9E3779B185EBCA87u;
  hash = (hash ^ (hash >> 33)) * 0xC2B2AE3D27D4EB4Fu;
  return hash ^ (hash >> 29);
}

#endif
