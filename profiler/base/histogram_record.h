/*
 * Histograms of times in the recording: struct fmt_rec_histogram, whose octaves are made when they are first needed.
 */
#ifndef CALLSIG_PROFILER_BASE_HISTOGRAM_RECORD_H
#define CALLSIG_PROFILER_BASE_HISTOGRAM_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/tree_store.h"

/* Of the histograms of calls: what a percentile says is within 1/16 of the call that it stands for. */
#define PROF_CALL_SUB_BITS 3u
/* Of tasks and of waits: within 1/64. */
#define PROF_TASK_SUB_BITS 5u

/* Where a value is counted. */
struct prof_histogram_place {
  uint32_t octave, bucket;
};

static inline struct prof_histogram_place prof_histogram_place(uint32_t sub_bits, uint64_t value)
{
  if (value >> sub_bits == 0)
    return (struct prof_histogram_place){0, (uint32_t)value};
  uint32_t highest = 63u - (uint32_t)__builtin_clzll(value), shift = highest - sub_bits;
  return (struct prof_histogram_place){shift + 1, (uint32_t)(value >> shift) - (1u << sub_bits)};
}

/* The counters of an octave, or NULL before they are made. Anywhere. */
static inline uint64_t *prof_histogram_octave(const struct fmt_rec_histogram *histogram, uint32_t octave)
{
  return (uint64_t *)__atomic_load_n(&histogram->octaves[octave], __ATOMIC_RELAXED);
}

/* An empty histogram; its record belongs to the tree. In a slow section. NULL: no space. */
struct fmt_rec_histogram *prof_histogram_make(struct prof_tree *tree, uint32_t sub_bits);

/* Counts `value` once. In a slow section. False, and nothing is counted: no space. */
bool prof_histogram_add(struct prof_tree *tree, struct fmt_rec_histogram *histogram, uint64_t value);

/* Counts `value` once where there is space already; else false. Anywhere. */
static inline bool prof_histogram_count(struct fmt_rec_histogram *histogram, uint64_t value)
{
  struct prof_histogram_place place = prof_histogram_place(histogram->sub_bits, value);
  uint64_t *counters = prof_histogram_octave(histogram, place.octave);
  if (counters)
    prof_add(&counters[place.bucket], 1);
  return counters != NULL;
}

/* Sets every count to 0. In a slow section. */
void prof_histogram_clear(struct fmt_rec_histogram *histogram);

/* Moves every count of `source` to the histogram that `*target` refers to, which is made when that is 0. Both are of
 * the same sub_bits, and of one writer while this runs. False: some found no space; they were added to *lost. */
bool prof_histogram_move(struct prof_tree *tree, uint64_t *target, struct fmt_rec_histogram *source, uint64_t *lost);

#endif
