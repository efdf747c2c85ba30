/* How long calls took: the histograms of edges. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "histogram.h"

/* The bucket of `times` with this place. */
static const struct cs_bucket *bucket_at(const struct cs_dump *dump, const struct cs_times *times, uint32_t place)
{
  return cs_vector_at(&dump->profile->buckets, times->first + place);
}

uint64_t cs_dump_times(struct cs_dump *dump, uint32_t number)
{
  const struct cs_times *times = cs_vector_at(&dump->profile->times, number);
  struct cs_rec_histogram record = {.tag = CS_DUMP_TAG(CS_TAG_HISTOGRAM, record), .sub_bits = times->sub_bits};
  uint32_t per_octave = UINT32_C(1) << times->sub_bits;
  uint64_t counters[1 << CS_HISTOGRAM_MAX_SUB_BITS];
  /* Buckets ascend: those of an octave follow each other. */
  for (uint32_t i = 0; i < times->count;) {
    uint32_t octave = bucket_at(dump, times, i)->number >> times->sub_bits;
    memset(counters, 0, per_octave * sizeof *counters);
    for (; i < times->count && bucket_at(dump, times, i)->number >> times->sub_bits == octave; i++)
      counters[bucket_at(dump, times, i)->number & (per_octave - 1)] = bucket_at(dump, times, i)->count;
    record.octaves[octave] = cs_dump_put(dump, counters, per_octave * sizeof *counters);
  }
  return cs_dump_put(dump, &record, sizeof record);
}

int cs_dump_histograms(struct cs_dump *dump)
{
  const struct cs_profile *profile = dump->profile;
  dump->times = calloc(profile->edges.count + 1u, sizeof *dump->times);
  if (!dump->times)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count && i < profile->times_of.count; i++) {
    uint32_t number = *(uint32_t *)cs_vector_at(&profile->times_of, i);
    if (number != CS_NONE && cs_profile_edge(profile, i)->to != CS_NONE)
      dump->times[i] = cs_dump_times(dump, number);
  }
  return 0;
}
