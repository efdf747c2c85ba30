/*
 * The tables of places where hooks look for edges: made small, and replaced by larger ones.
 */
#include "profiler/tree/edge_places.h"

#include "profiler/base/arena.h"
#include "profiler/stack/modes.h"
#include "profiler/tree/edge_probe.h"

#define FIRST_PLACES 32u
#define GROWTH       4u /* times as many; and places for each edge at least, while there may be more */

struct fmt_rec_edge prof_no_edge = {.mode = UINT32_MAX};

/* Puts a table of `count` places, in all of which `empty` is, where `table` is, and gives the old one with its number
 * of places; NULL, and nothing is done, when there is no memory. Old tables stay in the arena: together they are
 * smaller than the new one. */
static struct fmt_rec_edge **replace(struct prof_thread *t, struct fmt_rec_edge ***table, uint32_t *mask,
                                     uint32_t count, struct fmt_rec_edge *empty, uint32_t *old_count)
{
  struct fmt_rec_edge **old = *table, **made = prof_arena_alloc(&t->tree.arena, count * sizeof *made);
  if (!made)
    return NULL;
  for (uint32_t i = 0; empty && i < count; i++)
    made[i] = empty;
  *old_count = old ? *mask / (uint32_t)sizeof *made + 1 : 0;
  __atomic_store_n(table, made, __ATOMIC_RELAXED);
  __atomic_store_n(mask, (count - 1) * (uint32_t)sizeof *made, __ATOMIC_RELEASE);
  return old ? old : made;
}

bool prof_edge_places_make(struct prof_thread *t)
{
  uint32_t none;
  t->places = FIRST_PLACES;
  if (!replace(t, &t->cache, &t->cache_mask, FIRST_PLACES, NULL, &none) ||
      !replace(t, &t->probes, &t->probes_mask, FIRST_PLACES, NULL, &none) ||
      !replace(t, &t->codes, &t->codes_mask, FIRST_PLACES, &prof_no_edge, &none))
    return false;
  t->pending = t->codes;
  return true;
}

static uint32_t at_most(uint32_t places, unsigned bits)
{
  return places < 1u << bits ? places : 1u << bits;
}

void prof_edge_places_grow(struct prof_thread *t)
{
  if (t->tree.edges.used * GROWTH <= t->places || t->places >> PROF_PROBE_BITS)
    return;
  const uint32_t places = t->places * GROWTH;
  uint32_t count = 0;
  struct fmt_rec_edge **old;
  t->places = places;
  if (t->cache_mask / sizeof *old + 1 < at_most(places, PROF_CACHE_BITS)) {
    old = replace(t, &t->cache, &t->cache_mask, at_most(places, PROF_CACHE_BITS), NULL, &count);
    for (uint32_t i = 0; old && i < count; i++)
      if (old[i])
        *prof_cache_place(t, (const struct fmt_rec_variant *)old[i]->from, old[i]->site) = old[i];
  }
  old = replace(t, &t->probes, &t->probes_mask, at_most(places, PROF_PROBE_BITS), NULL, &count);
  for (uint32_t i = 0; old && i < count; i++)
    if (old[i])
      prof_edge_probe_note(t, old[i]);
  /* Which hash leads to an edge's place here is known to the code of its site alone, which puts it there again. */
  replace(t, &t->codes, &t->codes_mask, at_most(places, PROF_CODE_BITS), &prof_no_edge, &count);
}
