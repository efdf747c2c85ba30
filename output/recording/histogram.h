/*
 * Histograms of times in log-linear buckets, as a recording keeps them (format/recording.h), summed, subtracted and
 * asked for percentiles. docs/pipeline-statistics.md derives the error bound.
 *
 * Zero-initialise; free with out_histogram_free(). Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_HISTOGRAM_H
#define CALLSIG_OUTPUT_RECORDING_HISTOGRAM_H

#include "output/recording/recording.h"
#include "output/text/text.h"

/* More sub-buckets than any recording has; with them a histogram takes 4 MiB. */
enum { OUT_HISTOGRAM_MAX_SUB_BITS = 13 };

struct out_histogram {
  uint32_t sub_bits; /* 0 while there are no counters */
  uint64_t *octaves[FMT_HISTOGRAM_OCTAVES];
};

void out_histogram_free(struct out_histogram *histogram);

/* Receives 2^sub_bits counters: those of the buckets from octave << sub_bits on. 0, or an error that ends it. */
typedef int out_histogram_octave_fn(void *data, uint32_t sub_bits, unsigned octave, const uint64_t *counters);

/* Gives the octaves of the histogram record at `address` that are kept to `octave`, in ascending order. What cannot be
 * read is counted as damage. 0 or what `octave` returned. */
int out_histogram_each(struct out_recording *recording, uint64_t address, out_histogram_octave_fn *octave, void *data);

/* Adds the histogram record at `address` (0: none). What cannot be read is counted as damage. 0 or -ENOMEM. */
int out_histogram_load(struct out_histogram *histogram, struct out_recording *recording, uint64_t address);

/* Adds `sign` (1 or -1, modulo 2^64) times the counters of `other`, which has the same sub_bits or is empty; else
 * -EINVAL. Or -ENOMEM. */
int out_histogram_add(struct out_histogram *histogram, const struct out_histogram *other, int sign);

/* Adds `count` to the bucket with number `bucket`. -EINVAL when there is none, or -ENOMEM. */
int out_histogram_count(struct out_histogram *histogram, uint32_t sub_bits, uint64_t bucket, uint64_t count);

/* How many values it holds. A counter below 0, of a difference that was read while it changed, holds none. */
uint64_t out_histogram_total(const struct out_histogram *histogram);

/* The smallest and the largest value that the buckets in use can hold; false when none is. */
bool out_histogram_range(const struct out_histogram *histogram, uint64_t *low, uint64_t *high);

/* Gives `value` each bucket's middle and how many values are in it, in ascending order. */
void out_histogram_values(const struct out_histogram *histogram,
                          void (*value)(void *data, double middle, uint64_t count), void *data);

/* The values of at least `least`: how many, and their sum, by the middle of their buckets. */
void out_histogram_above(const struct out_histogram *histogram, double least, uint64_t *count, double *sum);

/* The value at rank min(n * permille / 1000, n - 1) of the n values in ascending order, counted from 0: the middle of
 * its bucket, so at most 2^-(sub_bits + 1) of it away, and within [min, max], which the first and the last rank give
 * exactly. 0 when there are no values. */
double out_histogram_percentile(const struct out_histogram *histogram, unsigned permille, double min, double max);

/* `count` values as far apart in rank as one another: each the middle of its bucket. False when there are no values. */
bool out_histogram_quantiles(const struct out_histogram *histogram, double *values, uint32_t count);

/* The counters as bytes, and back: sub_bits in one byte; then for each bucket in use, ascending, its distance from what
 * follows the one before (from 0 at first) and its count, both in LEB128. */
void out_histogram_encode(const struct out_histogram *histogram, struct out_text *bytes);
int out_histogram_decode(struct out_histogram *histogram, const void *bytes, size_t size);

#endif
