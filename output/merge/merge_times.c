/* Adds up the histograms of edges that become one. */
#include "output/merge/merge_times.h"

#include <errno.h>
#include <stdlib.h>

#include "output/recording/histogram.h"

/* The new times_of on its way. Times that are sums are added to the profile's; the others stay where they are. */
struct merge {
  struct out_profile *profile;
  struct base_vector times_of;
  uint32_t *first; /* by new edge: the last of the old ones that become it, FMT_NONE for none */
  uint32_t *next;  /* by old edge: the one before it with the same new edge */
};

/* Calls of an edge that ended: those that a histogram would have. */
static uint64_t ended_calls(const struct out_profile *profile, uint32_t number)
{
  const struct out_edge *edge = out_profile_edge(profile, number);
  if (edge->recursion == FMT_NONE)
    return edge->calls;
  const struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
  return edge->calls + recursion->calls - recursion->open;
}

/* Sums the times of the old edges of a new one. False in `*known` when some are missing. */
static int sum(const struct merge *merge, uint32_t edge, struct out_histogram *total, bool *known)
{
  const struct out_profile *profile = merge->profile;
  *known = true;
  for (uint32_t old = merge->first[edge]; old != FMT_NONE; old = merge->next[old]) {
    const struct out_times *times = out_profile_times(profile, old);
    *known &= times != NULL || ended_calls(profile, old) == 0;
    for (uint32_t i = 0; times && i < times->count; i++) {
      const struct out_bucket *bucket = base_vector_at(&profile->buckets, times->first + i);
      int result = out_histogram_count(total, times->sub_bits, bucket->number, bucket->count);
      if (result == -ENOMEM)
        return result;
      *known &= result == 0;
    }
  }
  return 0;
}

/* Appends what the histogram holds as the times of `edge`. */
static int append(struct merge *merge, uint32_t edge, const struct out_histogram *total)
{
  struct out_times times = {.first = merge->profile->buckets.count, .sub_bits = total->sub_bits};
  for (uint32_t octave = 0; octave < FMT_HISTOGRAM_OCTAVES; octave++) {
    for (uint32_t i = 0; total->octaves[octave] && i < UINT32_C(1) << total->sub_bits; i++) {
      if (total->octaves[octave][i] == 0)
        continue;
      struct out_bucket *bucket = base_vector_add(&merge->profile->buckets, 1);
      if (!bucket)
        return -ENOMEM;
      *bucket = (struct out_bucket){.count = total->octaves[octave][i], .number = (octave << total->sub_bits) + i};
      times.count++;
    }
  }
  struct out_times *added = times.count ? base_vector_add(&merge->profile->times, 1) : NULL;
  if (times.count && !added)
    return -ENOMEM;
  if (added)
    *added = times;
  *(uint32_t *)base_vector_at(&merge->times_of, edge) = added ? merge->profile->times.count - 1 : FMT_NONE;
  return 0;
}

static int fold_all(struct merge *merge, const uint32_t *edge_of, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    merge->first[i] = FMT_NONE;
  for (uint32_t i = 0; i < merge->profile->edges.count; i++) {
    if (edge_of[i] == FMT_NONE)
      continue;
    merge->next[i] = merge->first[edge_of[i]];
    merge->first[edge_of[i]] = i;
  }
  int result = 0;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    struct out_histogram total = {0};
    bool known;
    uint32_t *entry = base_vector_add(&merge->times_of, 1);
    if (!entry)
      return -ENOMEM;
    *entry = FMT_NONE;
    uint32_t old = merge->first[i];
    if (old != FMT_NONE && merge->next[old] == FMT_NONE) {
      *entry =
          old < merge->profile->times_of.count ? *(uint32_t *)base_vector_at(&merge->profile->times_of, old) : FMT_NONE;
      continue;
    }
    result = sum(merge, i, &total, &known);
    if (result == 0 && known)
      result = append(merge, i, &total);
    out_histogram_free(&total);
  }
  return result;
}

int out_merge_times(struct out_profile *profile, const uint32_t *edge_of, uint32_t count)
{
  if (profile->times_of.count == 0)
    return 0;
  struct merge merge = {.profile = profile,
                        .times_of = BASE_VECTOR_OF(uint32_t),
                        .first = malloc((count + 1u) * sizeof *merge.first),
                        .next = malloc((profile->edges.count + 1u) * sizeof *merge.next)};
  int result = merge.first && merge.next ? fold_all(&merge, edge_of, count) : -ENOMEM;
  free(merge.first);
  free(merge.next);
  base_vector_free(result == 0 ? &profile->times_of : &merge.times_of);
  if (result == 0)
    profile->times_of = merge.times_of;
  return result;
}
