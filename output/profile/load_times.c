/* Reads histograms of call times into the profile's buckets. */
#include <errno.h>

#include "output/profile/load.h"
#include "output/recording/histogram.h"

/* A histogram on its way into the profile's buckets. */
struct reading {
  struct out_profile *profile;
  struct out_times times;
};

static int take_octave(void *data, uint32_t sub_bits, unsigned octave, const uint64_t *counters)
{
  struct reading *reading = data;
  reading->times.sub_bits = sub_bits;
  for (uint32_t i = 0; i < UINT32_C(1) << sub_bits; i++) {
    if (counters[i] == 0)
      continue;
    struct out_bucket *bucket = base_vector_add(&reading->profile->buckets, 1);
    if (!bucket)
      return -ENOMEM;
    *bucket = (struct out_bucket){.count = counters[i], .number = (octave << sub_bits) + i};
    reading->times.count++;
  }
  return 0;
}

/* The entry of `edge` in times_of, made when there is none. */
static uint32_t *entry_of(struct out_profile *profile, uint32_t edge)
{
  while (profile->times_of.count <= edge) {
    uint32_t *added = base_vector_add(&profile->times_of, 1);
    if (!added)
      return NULL;
    *added = FMT_NONE;
  }
  return base_vector_at(&profile->times_of, edge);
}

int out_load_histogram(struct out_loader *loader, uint64_t address, uint32_t *number)
{
  struct out_profile *profile = loader->profile;
  struct reading reading = {.profile = profile, .times = {.first = profile->buckets.count}};
  *number = FMT_NONE;
  int result = address ? out_histogram_each(loader->recording, address, take_octave, &reading) : 0;
  if (result < 0 || reading.times.count == 0)
    return result;
  struct out_times *added = base_vector_add(&profile->times, 1);
  if (!added)
    return -ENOMEM;
  *added = reading.times;
  *number = profile->times.count - 1;
  return 0;
}

int out_load_times(struct out_loader *loader, uint64_t address, uint32_t edge)
{
  uint32_t number;
  int result = out_load_histogram(loader, address, &number);
  uint32_t *entry = result == 0 && number != FMT_NONE ? entry_of(loader->profile, edge) : NULL;
  if (result < 0 || number == FMT_NONE)
    return result;
  if (!entry)
    return -ENOMEM;
  *entry = number;
  return 0;
}
