#include "fold_times.h"

#include <errno.h>
#include <stdlib.h>

#include "histogram.h"

/* The new times_of on its way. Times that are sums are added to the profile's; the others stay where they are. */
struct fold {
  struct cs_profile *profile;
  struct cs_vector times_of;
  uint32_t *first; /* by new edge: the last of the old ones that become it, CS_NONE for none */
  uint32_t *next;  /* by old edge: the one before it with the same new edge */
};

/* Calls of an edge that ended: those that a histogram would have. */
static uint64_t ended_calls(const struct cs_profile *profile, uint32_t number)
{
  const struct cs_edge *edge = cs_profile_edge(profile, number);
  if (edge->recursion == CS_NONE)
    return edge->calls;
  const struct cs_recursion *recursion = cs_profile_recursion(profile, edge->recursion);
  return edge->calls + recursion->calls - recursion->open;
}

/* Sums the times of the old edges of a new one. False in `*known` when some are missing. */
static int sum(const struct fold *fold, uint32_t edge, struct cs_histogram *total, bool *known)
{
  const struct cs_profile *profile = fold->profile;
  *known = true;
  for (uint32_t old = fold->first[edge]; old != CS_NONE; old = fold->next[old]) {
    const struct cs_times *times = cs_profile_times(profile, old);
    *known &= times != NULL || ended_calls(profile, old) == 0;
    for (uint32_t i = 0; times && i < times->count; i++) {
      const struct cs_bucket *bucket = cs_vector_at(&profile->buckets, times->first + i);
      int result = cs_histogram_count(total, times->sub_bits, bucket->number, bucket->count);
      if (result == -ENOMEM)
        return result;
      *known &= result == 0;
    }
  }
  return 0;
}

/* Appends what the histogram holds as the times of `edge`. */
static int append(struct fold *fold, uint32_t edge, const struct cs_histogram *total)
{
  struct cs_times times = {.first = fold->profile->buckets.count, .sub_bits = total->sub_bits};
  for (uint32_t octave = 0; octave < CS_HISTOGRAM_OCTAVES; octave++) {
    for (uint32_t i = 0; total->octaves[octave] && i < UINT32_C(1) << total->sub_bits; i++) {
      if (total->octaves[octave][i] == 0)
        continue;
      struct cs_bucket *bucket = cs_vector_add(&fold->profile->buckets, 1);
      if (!bucket)
        return -ENOMEM;
      *bucket = (struct cs_bucket){.count = total->octaves[octave][i], .number = (octave << total->sub_bits) + i};
      times.count++;
    }
  }
  struct cs_times *added = times.count ? cs_vector_add(&fold->profile->times, 1) : NULL;
  if (times.count && !added)
    return -ENOMEM;
  if (added)
    *added = times;
  *(uint32_t *)cs_vector_at(&fold->times_of, edge) = added ? fold->profile->times.count - 1 : CS_NONE;
  return 0;
}

static int fold_all(struct fold *fold, const uint32_t *edge_of, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    fold->first[i] = CS_NONE;
  for (uint32_t i = 0; i < fold->profile->edges.count; i++) {
    if (edge_of[i] == CS_NONE)
      continue;
    fold->next[i] = fold->first[edge_of[i]];
    fold->first[edge_of[i]] = i;
  }
  int result = 0;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    struct cs_histogram total = {0};
    bool known;
    uint32_t *entry = cs_vector_add(&fold->times_of, 1);
    if (!entry)
      return -ENOMEM;
    *entry = CS_NONE;
    uint32_t old = fold->first[i];
    if (old != CS_NONE && fold->next[old] == CS_NONE) {
      *entry = old < fold->profile->times_of.count ? *(uint32_t *)cs_vector_at(&fold->profile->times_of, old) : CS_NONE;
      continue;
    }
    result = sum(fold, i, &total, &known);
    if (result == 0 && known)
      result = append(fold, i, &total);
    cs_histogram_free(&total);
  }
  return result;
}

int cs_fold_times(struct cs_profile *profile, const uint32_t *edge_of, uint32_t count)
{
  if (profile->times_of.count == 0)
    return 0;
  struct fold fold = {.profile = profile,
                      .times_of = CS_VECTOR_OF(uint32_t),
                      .first = malloc((count + 1u) * sizeof *fold.first),
                      .next = malloc((profile->edges.count + 1u) * sizeof *fold.next)};
  int result = fold.first && fold.next ? fold_all(&fold, edge_of, count) : -ENOMEM;
  free(fold.first);
  free(fold.next);
  cs_vector_free(result == 0 ? &profile->times_of : &fold.times_of);
  if (result == 0)
    profile->times_of = fold.times_of;
  return result;
}
