#include <errno.h>

#include "histogram.h"
#include "load.h"

/* A histogram on its way into the profile's buckets. */
struct reading {
  struct cs_profile *profile;
  struct cs_times times;
};

static int take_octave(void *data, uint32_t sub_bits, unsigned octave, const uint64_t *counters)
{
  struct reading *reading = data;
  reading->times.sub_bits = sub_bits;
  for (uint32_t i = 0; i < UINT32_C(1) << sub_bits; i++) {
    if (counters[i] == 0)
      continue;
    struct cs_bucket *bucket = cs_vector_add(&reading->profile->buckets, 1);
    if (!bucket)
      return -ENOMEM;
    *bucket = (struct cs_bucket){.count = counters[i], .number = (octave << sub_bits) + i};
    reading->times.count++;
  }
  return 0;
}

/* The entry of `edge` in times_of, made when there is none. */
static uint32_t *entry_of(struct cs_profile *profile, uint32_t edge)
{
  while (profile->times_of.count <= edge) {
    uint32_t *added = cs_vector_add(&profile->times_of, 1);
    if (!added)
      return NULL;
    *added = CS_NONE;
  }
  return cs_vector_at(&profile->times_of, edge);
}

int cs_load_histogram(struct cs_loader *loader, uint64_t address, uint32_t *number)
{
  struct cs_profile *profile = loader->profile;
  struct reading reading = {.profile = profile, .times = {.first = profile->buckets.count}};
  *number = CS_NONE;
  int result = address ? cs_histogram_each(loader->recording, address, take_octave, &reading) : 0;
  if (result < 0 || reading.times.count == 0)
    return result;
  struct cs_times *added = cs_vector_add(&profile->times, 1);
  if (!added)
    return -ENOMEM;
  *added = reading.times;
  *number = profile->times.count - 1;
  return 0;
}

int cs_load_times(struct cs_loader *loader, uint64_t address, uint32_t edge)
{
  uint32_t number;
  int result = cs_load_histogram(loader, address, &number);
  uint32_t *entry = result == 0 && number != CS_NONE ? entry_of(loader->profile, edge) : NULL;
  if (result < 0 || number == CS_NONE)
    return result;
  if (!entry)
    return -ENOMEM;
  *entry = number;
  return 0;
}
