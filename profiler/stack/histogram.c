/*
 * Histograms of times.
 *
 * A call's time is counted outside of slow sections, where a signal handler may interrupt with calls of the same edge.
 * So octaves that are new come from a small stock of the thread: taken by one instruction, and put in place by another,
 * unless a handler was first.
 */
#include "profiler/stack/histogram.h"

#include "profiler/tree/tree.h"

#define CALL_OCTAVE_SIZE (sizeof(uint64_t) << PROF_CALL_SUB_BITS)
#define STOCK            16u /* octaves */
#define LEAST_STOCK      4u

struct place {
  uint32_t octave, bucket;
};

static struct place place_of(uint32_t sub_bits, uint64_t value)
{
  if (value >> sub_bits == 0)
    return (struct place){0, (uint32_t)value};
  uint32_t highest = 63u - (uint32_t)__builtin_clzll(value), shift = highest - sub_bits;
  return (struct place){shift + 1, (uint32_t)(value >> shift) - (1u << sub_bits)};
}

static inline uint64_t *octave_at(const struct fmt_rec_histogram *histogram, uint32_t octave)
{
  return (uint64_t *)__atomic_load_n(&histogram->octaves[octave], __ATOMIC_RELAXED);
}

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
  uint64_t *counters = octave_at(histogram, octave);
  if (counters)
    return counters;
  counters = prof_record_alloc(tree, sizeof *counters << histogram->sub_bits);
  __atomic_store_n(&histogram->octaves[octave], (uintptr_t)counters, __ATOMIC_RELEASE);
  return counters;
}

bool prof_histogram_add(struct prof_tree *tree, struct fmt_rec_histogram *histogram, uint64_t value)
{
  struct place place = place_of(histogram->sub_bits, value);
  uint64_t *counters = make_octave(tree, histogram, place.octave);
  if (counters)
    prof_add(&counters[place.bucket], 1);
  return counters != NULL;
}

bool prof_histogram_count(struct fmt_rec_histogram *histogram, uint64_t value)
{
  struct place place = place_of(histogram->sub_bits, value);
  uint64_t *counters = octave_at(histogram, place.octave);
  if (counters)
    prof_add(&counters[place.bucket], 1);
  return counters != NULL;
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
    uint64_t *counters = octave_at(source, i);
    if (counters)
      without += move_octave(histogram ? make_octave(tree, histogram, i) : NULL, counters, source->sub_bits);
  }
  *lost += without;
  return without == 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

void prof_histogram_prepare(struct prof_thread *t)
{
  if (!prof_process.settings.percentiles || t->octave_next + LEAST_STOCK * CALL_OCTAVE_SIZE <= t->octave_end)
    return;
  /* Near the limit, counts come before percentiles. */
  prof_tree_check_pressure(&t->tree);
  if (t->tree.pressure != PROF_PRESSURE_NONE)
    return;
  uintptr_t stock = (uintptr_t)prof_record_alloc(&t->tree, STOCK * CALL_OCTAVE_SIZE);
  t->octave_next = stock;
  t->octave_end = stock ? stock + STOCK * CALL_OCTAVE_SIZE : 0;
}

/* An octave from the stock; NULL when it is used up. */
static uint64_t *take_octave(struct prof_thread *t)
{
  uintptr_t mine = CALL_OCTAVE_SIZE;
  __asm__ volatile("xaddq %0, %1" : "+r"(mine), "+m"(t->octave_next) : : "cc", "memory");
  return mine + CALL_OCTAVE_SIZE <= t->octave_end ? (uint64_t *)mine : NULL;
}

/* The same with a new stock, in a slow section of its own unless this is one. NULL: there is no space for one. */
static PROF_COLD uint64_t *restock(struct prof_thread *t)
{
  if (t->tree.pressure != PROF_PRESSURE_NONE)
    return NULL;
  bool entered = prof_slow_enter(t);
  prof_histogram_prepare(t);
  uint64_t *octave = take_octave(t);
  if (entered)
    prof_slow_leave(t);
  return octave;
}

static PROF_COLD uint64_t *call_octave(struct prof_thread *t, struct fmt_rec_histogram *histogram, uint32_t octave)
{
  uint64_t *made = take_octave(t);
  if (!made)
    made = restock(t);
  uint64_t there = 0;
  if (!made || __atomic_compare_exchange_n(&histogram->octaves[octave], &there, (uintptr_t)made, false,
                                           __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return made;
  return (uint64_t *)there;
}

void prof_histogram_call(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t ticks)
{
  struct fmt_rec_histogram *histogram = (struct fmt_rec_histogram *)edge->histogram;
  struct place place = place_of(PROF_CALL_SUB_BITS, ticks);
  uint64_t *counters = histogram ? octave_at(histogram, place.octave) : NULL;
  if (histogram && !counters)
    counters = call_octave(t, histogram, place.octave);
  if (counters)
    prof_add(&counters[place.bucket], 1);
  else
    prof_count_loss(FMT_LOSS_HISTOGRAM, 1);
}
