/*
 * A hash table without a lock, in which nothing moves.
 *
 * A bucket is a cache line of eight addresses and their values behind it. An address lies in one of two buckets of one
 * of the tables, wherever a place was free; a place is taken by one compare-and-swap of its address, and given back by
 * storing 0 there. So there are no marks of what was removed, no chains, and no table that is copied while others look
 * for something in it: when both buckets of an address are full in the largest table, a larger one is made, and what
 * the older ones hold stays there until it is taken out.
 */
#include "profiler/base/address_map.h"

#include <sys/mman.h>

#include "profiler/base/own_memory.h"
#include "profiler/base/syscall.h"
#include "profiler/base/wipe_on_fork.h"

#define PLACES        8u
#define FIRST_BUCKETS 512u /* a power of two */

struct bucket {
  uintptr_t addresses[PLACES]; /* 0: free */
  struct prof_address_values values[PLACES];
};

static uint64_t buckets_of(unsigned level)
{
  return (uint64_t)FIRST_BUCKETS << 2 * level;
}

/* One of the two buckets of an address: by the high half of a product that all of its bits have a part in, or by the
 * low half of that. Blocks lie at multiples of 16. */
static struct bucket *bucket_of(struct bucket *table, unsigned level, uintptr_t address, unsigned choice)
{
  const uint64_t hash = (address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
  return &table[(choice ? hash >> 11 : hash >> 37) & (buckets_of(level) - 1)];
}

static unsigned levels_most(const struct prof_address_map *map)
{
  return map->most ? map->most : PROF_ADDRESS_LEVELS;
}

/* How many levels there are. */
static unsigned levels_made(const struct prof_address_map *map)
{
  unsigned count = 0;
  while (count < PROF_ADDRESS_LEVELS && __atomic_load_n(&map->levels[count], __ATOMIC_ACQUIRE))
    count++;
  return count;
}

/* Makes a level, unless another thread has. False: no memory. */
static bool make_level(struct prof_address_map *map, unsigned level)
{
  const size_t size = buckets_of(level) * sizeof(struct bucket);
  long mapped = prof_map_own(size);
  if (prof_sys_failed(mapped))
    return false;
  /* What a child's parent has asked for is not the child's: without a page that a fork wipes there is no telling. */
  void *none = NULL;
  bool is_wiped = PROF_SYSCALL3(SYS_madvise, mapped, size, MADV_WIPEONFORK) == 0;
  if (is_wiped && __atomic_compare_exchange_n(&map->levels[level], &none, (void *)mapped, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE))
    return true;
  prof_sys_munmap((void *)mapped, size);
  return is_wiped;
}

static bool put_into(struct bucket *bucket, uintptr_t address, const struct prof_address_values *values)
{
  for (unsigned i = 0; i < PLACES; i++) {
    uintptr_t nothing = 0;
    if (__atomic_load_n(&bucket->addresses[i], __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&bucket->addresses[i], &nothing, address, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      bucket->values[i] = *values;
      return true;
    }
  }
  return false;
}

static bool put_into_level(const struct prof_address_map *map, unsigned level, uintptr_t address,
                           const struct prof_address_values *values)
{
  struct bucket *table = __atomic_load_n(&map->levels[level], __ATOMIC_ACQUIRE);
  for (unsigned choice = 0; choice < 2; choice++)
    if (put_into(bucket_of(table, level, address, choice), address, values))
      return true;
  return false;
}

bool prof_address_map_put(struct prof_address_map *map, uintptr_t address, struct prof_address_values values)
{
  unsigned made = levels_made(map);
  for (unsigned level = made; level-- > 0;)
    if (put_into_level(map, level, address, &values))
      return true;
  for (; made < levels_most(map); made++)
    if (!make_level(map, made))
      return false;
    else if (put_into_level(map, made, address, &values))
      return true;
  return false;
}

static bool take_from(struct bucket *bucket, uintptr_t address, struct prof_address_values *values)
{
  for (unsigned i = 0; i < PLACES; i++)
    if (__atomic_load_n(&bucket->addresses[i], __ATOMIC_ACQUIRE) == address) {
      *values = bucket->values[i];
      __atomic_store_n(&bucket->addresses[i], 0, __ATOMIC_RELEASE);
      return true;
    }
  return false;
}

bool prof_address_map_take(struct prof_address_map *map, uintptr_t address, struct prof_address_values *values)
{
  for (unsigned level = levels_made(map); level-- > 0;) {
    struct bucket *table = __atomic_load_n(&map->levels[level], __ATOMIC_ACQUIRE);
    for (unsigned choice = 0; choice < 2; choice++)
      if (take_from(bucket_of(table, level, address, choice), address, values))
        return true;
  }
  return false;
}
