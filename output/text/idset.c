/* A hash set of 32-bit numbers, whose contents live in the owner's arrays. */
#include "output/text/idset.h"

#include <errno.h>
#include <string.h>

#include "base/hugepage_array.h"

enum { FIRST_SLOTS = 64 };

uint32_t out_idset_find(const struct out_idset *set, uint64_t hash, const void *owner, const void *key,
                        out_idset_equal equal)
{
  if (set->slot_count == 0)
    return UINT32_MAX;
  size_t mask = set->slot_count - 1;
  for (size_t at = (uint32_t)hash & mask; set->slots[at].number != UINT32_MAX; at = (at + 1) & mask) {
    if (set->slots[at].hash == (uint32_t)hash && equal(owner, set->slots[at].number, key))
      return set->slots[at].number;
  }
  return UINT32_MAX;
}

static void put(struct out_idset_slot *slots, size_t mask, struct out_idset_slot slot)
{
  size_t at = slot.hash & mask;
  while (slots[at].number != UINT32_MAX)
    at = (at + 1) & mask;
  slots[at] = slot;
}

static int resize(struct out_idset *set, size_t slot_count)
{
  struct out_idset_slot *slots = base_hugepage_array_new(slot_count, sizeof *slots);
  if (!slots)
    return -ENOMEM;
  memset(slots, 0xFF, slot_count * sizeof *slots);
  for (size_t i = 0; i < set->slot_count; i++) {
    if (set->slots[i].number != UINT32_MAX)
      put(slots, slot_count - 1, set->slots[i]);
  }
  base_hugepage_array_free(set->slots, set->slot_count * sizeof *slots);
  set->slots = slots;
  set->slot_count = slot_count;
  return 0;
}

int out_idset_reserve(struct out_idset *set, size_t count)
{
  size_t slot_count = set->slot_count ? set->slot_count : FIRST_SLOTS;
  while ((set->used + count) * 4 > slot_count * 3)
    slot_count *= 2;
  return slot_count == set->slot_count ? 0 : resize(set, slot_count);
}

int out_idset_add(struct out_idset *set, uint64_t hash, uint32_t number)
{
  int result = out_idset_reserve(set, 1);
  if (result < 0)
    return result;
  put(set->slots, set->slot_count - 1, (struct out_idset_slot){.number = number, .hash = (uint32_t)hash});
  set->used++;
  return 0;
}

void out_idset_free(struct out_idset *set)
{
  base_hugepage_array_free(set->slots, set->slot_count * sizeof *set->slots);
  memset(set, 0, sizeof *set);
}
