/*
 * Ranges of addresses, found by an address that lies in them: machine stacks, of which a program may have thousands.
 *
 * Ranges may overlap, as memory is freed and used again: what is found is the newest one. One thread at a time adds;
 * any looks, also in a handler that interrupts the one that adds.
 */
#ifndef CALLSIG_PROFILER_BASE_RANGES_H
#define CALLSIG_PROFILER_BASE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/arena.h"

/* [low, high): first in what its owner knows of it. It has to stay where it is as long as the set. */
struct prof_range {
  uintptr_t low, high;
  uint64_t number; /* larger than that of each range that was added before */
};

/* A set of them. All zero is an empty one. */
struct prof_ranges {
  struct prof_range_slots *slots; /* atomic */
  uint64_t sizes;                 /* bit n: some range has 2^n bytes or more, and less than twice that; atomic */
  uint64_t last;                  /* the number that was given last */
};

/* Gives a range these bounds, of which `low` is below `high`, and makes it the newest one. It may be in the set
 * already. `arena` NULL: slots are in the process's own. In a slow section, or with signals blocked. False, and all is
 * as it was: no memory. */
bool prof_ranges_add(struct prof_ranges *ranges, struct prof_arena *arena, struct prof_range *range, uintptr_t low,
                     uintptr_t high);
/* Gives a range that is in the set other bounds; it is as new as it was. */
bool prof_ranges_resize(struct prof_ranges *ranges, struct prof_arena *arena, struct prof_range *range, uintptr_t low,
                        uintptr_t high);

/* The newest range that the address lies in, or NULL. Anywhere. */
struct prof_range *prof_ranges_at(const struct prof_ranges *ranges, uintptr_t address);
/* The newest with just these bounds, or NULL. Anywhere. */
struct prof_range *prof_ranges_with(const struct prof_ranges *ranges, uintptr_t low, uintptr_t high);
/* The newest that has a part of [low, high), or NULL; ranges that are smaller by their place in `sizes` are left out.
 * Anywhere. */
struct prof_range *prof_ranges_across(const struct prof_ranges *ranges, uintptr_t low, uintptr_t high);

#endif
