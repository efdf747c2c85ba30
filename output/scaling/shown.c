/* Keeps copies of rows, found by their keys. */
#include "output/scaling/shown.h"

#include <errno.h>
#include <string.h>

static bool equal_key(const void *owner, uint32_t number, const void *key)
{
  const struct out_row *row = base_vector_at(owner, number);
  return memcmp(&row->key, key, sizeof row->key) == 0;
}

static uint64_t hash_key(const struct out_row_key *key)
{
  return out_hash_mix(out_hash_mix(key->what, key->thread), out_hash_mix(key->module, key->stage)) ^
         out_hash_mix(key->process, key->rank);
}

int out_scaling_shown_add(struct out_scaling_shown *shown, const struct out_row *row)
{
  struct out_row *added = base_vector_add(&shown->rows, 1);
  if (!added)
    return -ENOMEM;
  *added = *row;
  return out_idset_add(&shown->set, hash_key(&row->key), shown->rows.count - 1);
}

uint32_t out_scaling_shown_find(const struct out_scaling_shown *shown, const struct out_row_key *key)
{
  return out_idset_find(&shown->set, hash_key(key), &shown->rows, key, equal_key);
}

void out_scaling_shown_free(struct out_scaling_shown *shown)
{
  out_idset_free(&shown->set);
  base_vector_free(&shown->rows);
}
