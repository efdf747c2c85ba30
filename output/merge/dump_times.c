/* How long calls took: the histograms of edges. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"
#include "output/recording/histogram.h"

/* The bucket of `times` with this place. */
static const struct out_bucket *bucket_at(const struct out_dump *dump, const struct out_times *times, uint32_t place)
{
  return base_vector_at(&dump->profile->buckets, times->first + place);
}

uint64_t out_dump_times(struct out_dump *dump, uint32_t number)
{
  const struct out_times *times = base_vector_at(&dump->profile->times, number);
  struct fmt_rec_histogram record = {.tag = OUT_DUMP_TAG(FMT_TAG_HISTOGRAM, record), .sub_bits = times->sub_bits};
  uint32_t per_octave = UINT32_C(1) << times->sub_bits;
  uint64_t counters[1 << OUT_HISTOGRAM_MAX_SUB_BITS];
  /* Buckets ascend: those of an octave follow each other. */
  for (uint32_t i = 0; i < times->count;) {
    uint32_t octave = bucket_at(dump, times, i)->number >> times->sub_bits;
    memset(counters, 0, per_octave * sizeof *counters);
    for (; i < times->count && bucket_at(dump, times, i)->number >> times->sub_bits == octave; i++)
      counters[bucket_at(dump, times, i)->number & (per_octave - 1)] = bucket_at(dump, times, i)->count;
    record.octaves[octave] = out_dump_put(dump, counters, per_octave * sizeof *counters);
  }
  return out_dump_put(dump, &record, sizeof record);
}

int out_dump_histograms(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  dump->times = calloc(profile->edges.count + 1u, sizeof *dump->times);
  if (!dump->times)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count && i < profile->times_of.count; i++) {
    uint32_t number = *(uint32_t *)base_vector_at(&profile->times_of, i);
    if (number != FMT_NONE && out_profile_edge(profile, i)->to != FMT_NONE)
      dump->times[i] = out_dump_times(dump, number);
  }
  return 0;
}
