/* Sums, subtracts, encodes and asks histograms of times. */
#include "output/recording/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void out_histogram_free(struct out_histogram *histogram)
{
  for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES; i++)
    free(histogram->octaves[i]);
  *histogram = (struct out_histogram){0};
}

/* Octaves that values of 64 bits have with so many sub-buckets: one for small values, one for each higher bit. */
static unsigned octaves_of(uint32_t sub_bits)
{
  return 65 - sub_bits;
}

static uint64_t *octave_at(struct out_histogram *histogram, unsigned octave)
{
  if (!histogram->octaves[octave] && histogram->sub_bits <= OUT_HISTOGRAM_MAX_SUB_BITS) {
    /* 1 << n is never 0. NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI) */
    histogram->octaves[octave] = calloc((size_t)1 << histogram->sub_bits, sizeof(uint64_t));
  }
  return histogram->octaves[octave];
}

/* Adds one octave's counters. */
static int add_octave(struct out_histogram *histogram, unsigned octave, const uint64_t *counters, int sign)
{
  uint64_t *sums = octave_at(histogram, octave);
  if (!sums)
    return -ENOMEM;
  for (size_t i = 0; i < (size_t)1 << histogram->sub_bits; i++)
    sums[i] += sign < 0 ? 0 - counters[i] : counters[i];
  return 0;
}

static bool take_sub_bits(struct out_histogram *histogram, uint32_t sub_bits)
{
  if (sub_bits == 0 || sub_bits > OUT_HISTOGRAM_MAX_SUB_BITS ||
      (histogram->sub_bits != 0 && histogram->sub_bits != sub_bits))
    return false;
  histogram->sub_bits = sub_bits;
  return true;
}

int out_histogram_each(struct out_recording *recording, uint64_t address, out_histogram_octave_fn *octave, void *data)
{
  const struct fmt_rec_histogram *found =
      out_recording_record(recording, address, FMT_TAG_HISTOGRAM, sizeof(struct fmt_rec_histogram));
  if (!found || found->sub_bits == 0 || found->sub_bits > OUT_HISTOGRAM_MAX_SUB_BITS) {
    recording->damaged++;
    return 0;
  }
  struct fmt_rec_histogram record;
  memcpy(&record, found, sizeof record);
  const uint64_t bytes = sizeof(uint64_t) << record.sub_bits;
  int result = 0;
  for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES && result == 0; i++) {
    if (!record.octaves[i])
      continue;
    const uint64_t *counters = NULL;
    if (i < octaves_of(record.sub_bits) && out_recording_spend(recording, bytes))
      counters = out_recording_bytes(recording, record.octaves[i], bytes);
    if (counters)
      result = octave(data, record.sub_bits, i, counters);
    else
      recording->damaged++;
  }
  return result;
}

static int load_octave(void *data, uint32_t sub_bits, unsigned octave, const uint64_t *counters)
{
  return take_sub_bits(data, sub_bits) ? add_octave(data, octave, counters, 1) : -EINVAL;
}

int out_histogram_load(struct out_histogram *histogram, struct out_recording *recording, uint64_t address)
{
  int result = address ? out_histogram_each(recording, address, load_octave, histogram) : 0;
  if (result == -EINVAL) {
    recording->damaged++;
    return 0;
  }
  return result;
}

int out_histogram_add(struct out_histogram *histogram, const struct out_histogram *other, int sign)
{
  if (other->sub_bits == 0)
    return 0;
  if (!take_sub_bits(histogram, other->sub_bits))
    return -EINVAL;
  int result = 0;
  for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES && result == 0; i++)
    if (other->octaves[i])
      result = add_octave(histogram, i, other->octaves[i], sign);
  return result;
}

int out_histogram_count(struct out_histogram *histogram, uint32_t sub_bits, uint64_t bucket, uint64_t count)
{
  if (!take_sub_bits(histogram, sub_bits) || bucket >> sub_bits >= octaves_of(sub_bits))
    return -EINVAL;
  uint64_t *counters = octave_at(histogram, (unsigned)(bucket >> sub_bits));
  if (!counters)
    return -ENOMEM;
  counters[bucket & (((uint64_t)1 << sub_bits) - 1)] += count;
  return 0;
}

/* The buckets in use, one after the other. Zero-initialise but for `histogram`. */
struct walk {
  const struct out_histogram *histogram;
  uint64_t next;          /* bucket to look at */
  uint64_t bucket, count; /* the one that was found */
};

static bool next_bucket(struct walk *walk)
{
  const struct out_histogram *histogram = walk->histogram;
  const uint64_t size = (uint64_t)1 << histogram->sub_bits;
  while (walk->next < size * FMT_HISTOGRAM_OCTAVES) {
    const uint64_t *counters = histogram->octaves[walk->next / size];
    if (!counters) {
      walk->next = (walk->next / size + 1) * size;
      continue;
    }
    walk->bucket = walk->next++;
    walk->count = counters[walk->bucket % size];
    if (walk->count != 0 && walk->count < UINT64_C(1) << 63)
      return true;
  }
  return false;
}

uint64_t out_histogram_total(const struct out_histogram *histogram)
{
  uint64_t total = 0;
  for (struct walk walk = {.histogram = histogram}; next_bucket(&walk);)
    total += walk.count;
  return total;
}

/* The values of a bucket: `*low` and how many there are from it on. */
static uint64_t bucket_values(const struct out_histogram *histogram, uint64_t bucket, uint64_t *low)
{
  const uint64_t size = (uint64_t)1 << histogram->sub_bits;
  uint64_t octave = bucket / size;
  *low = octave == 0 ? bucket : (size + bucket % size) << (octave - 1);
  return octave == 0 ? 1 : (uint64_t)1 << (octave - 1);
}

bool out_histogram_range(const struct out_histogram *histogram, uint64_t *low, uint64_t *high)
{
  bool found = false;
  for (struct walk walk = {.histogram = histogram}; next_bucket(&walk); found = true) {
    uint64_t first, values = bucket_values(histogram, walk.bucket, &first);
    if (!found)
      *low = first;
    *high = first + (values - 1);
  }
  return found;
}

void out_histogram_values(const struct out_histogram *histogram,
                          void (*value)(void *data, double middle, uint64_t count), void *data)
{
  for (struct walk walk = {.histogram = histogram}; next_bucket(&walk);) {
    uint64_t low, values = bucket_values(histogram, walk.bucket, &low);
    value(data, (double)low + (double)(values - 1) / 2, walk.count);
  }
}

void out_histogram_above(const struct out_histogram *histogram, double least, uint64_t *count, double *sum)
{
  *count = 0;
  *sum = 0;
  for (struct walk walk = {.histogram = histogram}; next_bucket(&walk);) {
    uint64_t low, values = bucket_values(histogram, walk.bucket, &low);
    double middle = (double)low + (double)(values - 1) / 2;
    if (middle < least)
      continue;
    *count += walk.count;
    *sum += (double)walk.count * middle;
  }
}

/* n * permille / 1000 without overflow. */
static uint64_t share(uint64_t n, unsigned permille)
{
  return n / 1000 * permille + n % 1000 * permille / 1000;
}

double out_histogram_percentile(const struct out_histogram *histogram, unsigned permille, double min, double max)
{
  uint64_t total = out_histogram_total(histogram);
  if (total == 0)
    return 0;
  uint64_t rank = share(total, permille);
  if (rank >= total - 1)
    return max;
  if (rank == 0)
    return min;
  struct walk walk = {.histogram = histogram};
  for (uint64_t before = 0; next_bucket(&walk) && before + walk.count <= rank;)
    before += walk.count;
  uint64_t low, values = bucket_values(histogram, walk.bucket, &low);
  double value = (double)low + (double)(values - 1) / 2;
  return value < min ? min : (value > max ? max : value);
}

bool out_histogram_quantiles(const struct out_histogram *histogram, double *values, uint32_t count)
{
  const double total = (double)out_histogram_total(histogram);
  uint32_t filled = 0;
  double before = 0;
  for (struct walk walk = {.histogram = histogram}; filled < count && next_bucket(&walk);) {
    uint64_t low, width = bucket_values(histogram, walk.bucket, &low);
    for (before += (double)walk.count; filled < count && (filled + 0.5) / count * total <= before; filled++)
      values[filled] = (double)low + (double)(width - 1) / 2;
  }
  for (; filled > 0 && filled < count; filled++)
    values[filled] = values[filled - 1];
  return filled > 0;
}

static void put_number(struct out_text *bytes, uint64_t value)
{
  for (; value >= 0x80; value >>= 7)
    out_text_putc(bytes, (char)(0x80 | (value & 0x7F)));
  out_text_putc(bytes, (char)value);
}

void out_histogram_encode(const struct out_histogram *histogram, struct out_text *bytes)
{
  out_text_putc(bytes, (char)histogram->sub_bits);
  uint64_t expected = 0;
  for (struct walk walk = {.histogram = histogram}; next_bucket(&walk); expected = walk.bucket + 1) {
    put_number(bytes, walk.bucket - expected);
    put_number(bytes, walk.count);
  }
}

/* False at the end of the bytes, and for a number of more than 64 bits. */
static bool get_number(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
    unsigned char byte = *(*at)++;
    *value |= (uint64_t)(byte & 0x7F) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

int out_histogram_decode(struct out_histogram *histogram, const void *bytes, size_t size)
{
  const unsigned char *at = bytes, *end = at + size;
  if (size == 0)
    return 0;
  uint32_t sub_bits = *at++;
  uint64_t expected = 0;
  int result = 0;
  while (at < end && result == 0) {
    uint64_t distance, count;
    if (!get_number(&at, end, &distance) || !get_number(&at, end, &count) || distance > UINT64_MAX - expected)
      return -EINVAL;
    result = out_histogram_count(histogram, sub_bits, expected + distance, count);
    expected += distance + 1;
  }
  return result;
}
