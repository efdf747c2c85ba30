/*
 * Histograms of times: made in the recording, counted into, and moved from tree to tree.
 */
#include "profiler/base/histogram_record.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/recording.h"

struct fmt_rec_histogram *prof_histogram_make(struct prof_tree *tree, uint32_t sub_bits)
{
  struct fmt_rec_histogram *histogram = prof_record_alloc(tree, sizeof *histogram);
  if (!histogram)
    return NULL;
  histogram->sub_bits = sub_bits;
  histogram->tag = (struct fmt_rec_tag){FMT_TAG_HISTOGRAM, sizeof *histogram};
  return histogram;
}

/* The octave, made when it is new. NULL: no space. */
static uint64_t *make_octave(struct prof_tree *tree, struct fmt_rec_histogram *histogram, uint32_t octave)
{
  uint64_t *counters = prof_histogram_octave(histogram, octave);
  if (counters)
    return counters;
  counters = prof_record_alloc(tree, sizeof *counters << histogram->sub_bits);
  __atomic_store_n(&histogram->octaves[octave], (uintptr_t)counters, __ATOMIC_RELEASE);
  return counters;
}

bool prof_histogram_add(struct prof_tree *tree, struct fmt_rec_histogram *histogram, uint64_t value)
{
  struct prof_histogram_place place = prof_histogram_place(histogram->sub_bits, value);
  uint64_t *counters = make_octave(tree, histogram, place.octave);
  if (counters)
    prof_add(&counters[place.bucket], 1);
  return counters != NULL;
}

void prof_histogram_clear(struct fmt_rec_histogram *histogram)
{
  for (uint32_t octave = 0; octave < FMT_HISTOGRAM_OCTAVES; octave++) {
    uint64_t *counters = prof_histogram_octave(histogram, octave);
    for (uint32_t i = 0; counters && i < 1u << histogram->sub_bits; i++)
      __atomic_store_n(&counters[i], 0, __ATOMIC_RELAXED);
  }
}

static uint64_t move_octave(uint64_t *target, uint64_t *source, uint32_t sub_bits)
{
  uint64_t lost = 0;
  for (uint32_t i = 0; i < 1u << sub_bits; i++) {
    if (target)
      __atomic_store_n(&target[i], target[i] + source[i], __ATOMIC_RELAXED);
    else
      lost += source[i];
    __atomic_store_n(&source[i], 0, __ATOMIC_RELAXED);
  }
  return lost;
}

bool prof_histogram_move(struct prof_tree *tree, uint64_t *target, struct fmt_rec_histogram *source, uint64_t *lost)
{
  struct fmt_rec_histogram *histogram = (struct fmt_rec_histogram *)*target;
  uint64_t without = 0;
  if (!histogram) {
    histogram = prof_histogram_make(tree, source->sub_bits);
    __atomic_store_n(target, (uintptr_t)histogram, __ATOMIC_RELEASE);
  }
  for (uint32_t i = 0; i < FMT_HISTOGRAM_OCTAVES; i++) {
    uint64_t *counters = prof_histogram_octave(source, i);
    if (counters)
      without += move_octave(histogram ? make_octave(tree, histogram, i) : NULL, counters, source->sub_bits);
  }
  *lost += without;
  return without == 0;
}
