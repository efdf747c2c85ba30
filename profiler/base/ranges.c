/*
 * A range of 2^n bytes or more, and less than twice that, lies in at most three blocks of 2^n bytes at multiples of
 * that, and has a slot of a hash table for each, by n and the block's number. So an address is looked for once for each
 * n that there is, of which a program has few; and in one block lie, of ranges that do not overlap, three at most.
 *
 * A slot whose range has moved away is the next one's in that block. A table that is half full is copied to one twice
 * as large; the old one stays for those who look there.
 */
#include "profiler/base/ranges.h"

#include <stddef.h>

#include "profiler/base/table.h"

#define BLOCKS_MOST 3u
#define FIRST_SLOTS 8u /* a power of two */

struct slot {
  uint64_t hash;
  struct prof_range *range; /* atomic; NULL: free */
};

struct prof_range_slots {
  uint64_t mask; /* their number - 1, a power of two */
  uint64_t used;
  struct slot slots[];
};

/* [low, high), which is not empty. */
struct span {
  uintptr_t low, high;
};

static struct span bounds_of(const struct prof_range *range)
{
  return (struct span){__atomic_load_n(&range->low, __ATOMIC_RELAXED), __atomic_load_n(&range->high, __ATOMIC_RELAXED)};
}

static unsigned size_of(struct span span)
{
  return 63u - (unsigned)__builtin_clzll((span.high - span.low) | 1);
}

static uintptr_t first_block(struct span span, unsigned size)
{
  return span.low >> size;
}

static uintptr_t last_block(struct span span, unsigned size)
{
  return (span.high - 1) >> size;
}

static uint64_t hash_of(unsigned size, uintptr_t block)
{
  return prof_hash_mix(prof_hash_mix(0, size), block);
}

static struct slot *slot_at(struct prof_range_slots *slots, uint64_t place)
{
  return &slots->slots[place & slots->mask];
}

static struct prof_range *range_in(const struct slot *slot)
{
  return __atomic_load_n(&slot->range, __ATOMIC_ACQUIRE);
}

static uint64_t number_of(const struct prof_range *range)
{
  return __atomic_load_n(&range->number, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Looking
 * ------------------------------------------------------------------------------------------------------------------ */

static bool overlaps(struct span span, struct span other)
{
  return span.low < other.high && other.low < span.high;
}

static bool is_same(struct span span, struct span other)
{
  return span.low == other.low && span.high == other.high;
}

typedef bool (*matches_fn)(struct span span, struct span wanted);

/* The newest of the block's that matches, if it is newer than `newest`, which may be NULL. What has another size by now
 * has slots elsewhere. */
static struct prof_range *newest_in(struct prof_range_slots *slots, unsigned size, uintptr_t block, struct span wanted,
                                    matches_fn matches, struct prof_range *newest)
{
  const uint64_t hash = hash_of(size, block);
  struct prof_range *range;
  for (uint64_t place = hash; (range = range_in(slot_at(slots, place))); place++) {
    const struct span span = bounds_of(range);
    if (slot_at(slots, place)->hash == hash && size_of(span) == size && matches(span, wanted) &&
        (!newest || number_of(range) > number_of(newest)))
      newest = range;
  }
  return newest;
}

/* The newest that matches, of sizes with these bits. */
static struct prof_range *find(const struct prof_ranges *ranges, uint64_t sizes, struct span wanted, matches_fn matches)
{
  struct prof_range *newest = NULL;
  sizes &= __atomic_load_n(&ranges->sizes, __ATOMIC_ACQUIRE);
  struct prof_range_slots *slots = __atomic_load_n(&ranges->slots, __ATOMIC_ACQUIRE);
  for (; sizes; sizes &= sizes - 1) {
    unsigned size = (unsigned)__builtin_ctzll(sizes);
    for (uintptr_t block = first_block(wanted, size); block <= last_block(wanted, size); block++)
      newest = newest_in(slots, size, block, wanted, matches, newest);
  }
  return newest;
}

struct prof_range *prof_ranges_at(const struct prof_ranges *ranges, uintptr_t address)
{
  return address == UINTPTR_MAX ? NULL : find(ranges, UINT64_MAX, (struct span){address, address + 1}, overlaps);
}

struct prof_range *prof_ranges_with(const struct prof_ranges *ranges, uintptr_t low, uintptr_t high)
{
  const struct span wanted = {low, high};
  return find(ranges, UINT64_C(1) << size_of(wanted), wanted, is_same);
}

struct prof_range *prof_ranges_across(const struct prof_ranges *ranges, uintptr_t low, uintptr_t high)
{
  const struct span wanted = {low, high};
  return find(ranges, UINT64_MAX << size_of(wanted), wanted, overlaps);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Adding
 * ------------------------------------------------------------------------------------------------------------------ */

/* Is the range one that is to be found by this hash? */
static bool belongs(const struct prof_range *range, uint64_t hash)
{
  const struct span span = bounds_of(range);
  const unsigned size = size_of(span);
  for (uintptr_t block = first_block(span, size); block <= last_block(span, size); block++)
    if (hash_of(size, block) == hash)
      return true;
  return false;
}

static void put(struct prof_range_slots *slots, uint64_t hash, struct prof_range *range)
{
  struct slot *left = NULL, *slot;
  struct prof_range *there;
  uint64_t place = hash;
  for (; (there = range_in(slot = slot_at(slots, place))); place++) {
    if (slot->hash != hash)
      continue;
    if (there == range)
      return;
    if (!left && !belongs(there, hash))
      left = slot;
  }
  if (!left) {
    left = slot;
    left->hash = hash;
    slots->used++;
  }
  __atomic_store_n(&left->range, range, __ATOMIC_RELEASE);
}

static struct prof_range_slots *make_slots(struct prof_arena *arena, uint64_t count)
{
  const size_t size = sizeof(struct prof_range_slots) + count * sizeof(struct slot);
  struct prof_range_slots *slots = arena ? prof_arena_alloc(arena, size) : prof_process_alloc(size);
  if (slots)
    slots->mask = count - 1;
  return slots;
}

/* Sees to it that a range more has slots. False: no memory. */
static bool make_room(struct prof_ranges *ranges, struct prof_arena *arena)
{
  struct prof_range_slots *old = ranges->slots;
  if (old && (old->used + BLOCKS_MOST) * 2 <= old->mask + 1)
    return true;
  struct prof_range_slots *larger = make_slots(arena, old ? (old->mask + 1) * 2 : FIRST_SLOTS);
  if (!larger)
    return false;
  for (uint64_t i = 0; old && i <= old->mask; i++)
    if (old->slots[i].range && belongs(old->slots[i].range, old->slots[i].hash))
      put(larger, old->slots[i].hash, old->slots[i].range);
  __atomic_store_n(&ranges->slots, larger, __ATOMIC_RELEASE);
  return true;
}

static bool set(struct prof_ranges *ranges, struct prof_arena *arena, struct prof_range *range, struct span span,
                uint64_t number)
{
  if (!make_room(ranges, arena))
    return false;
  const unsigned size = size_of(span);
  __atomic_store_n(&range->low, span.low, __ATOMIC_RELAXED);
  __atomic_store_n(&range->high, span.high, __ATOMIC_RELAXED);
  __atomic_store_n(&range->number, number, __ATOMIC_RELAXED);
  for (uintptr_t block = first_block(span, size); block <= last_block(span, size); block++)
    put(ranges->slots, hash_of(size, block), range);
  __atomic_store_n(&ranges->sizes, ranges->sizes | UINT64_C(1) << size, __ATOMIC_RELEASE);
  return true;
}

bool prof_ranges_add(struct prof_ranges *ranges, struct prof_arena *arena, struct prof_range *range, uintptr_t low,
                     uintptr_t high)
{
  if (!set(ranges, arena, range, (struct span){low, high}, ranges->last + 1))
    return false;
  ranges->last++;
  return true;
}

bool prof_ranges_resize(struct prof_ranges *ranges, struct prof_arena *arena, struct prof_range *range, uintptr_t low,
                        uintptr_t high)
{
  return set(ranges, arena, range, (struct span){low, high}, range->number);
}
