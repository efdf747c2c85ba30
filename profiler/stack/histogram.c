/*
 * The histograms of an edge's calls, as far as hooks count into them.
 *
 * A call's time is counted outside of slow sections, where a signal handler may interrupt with calls of the same edge.
 * So octaves that are new come from a small stock of the thread: taken by one instruction, and put in place by another,
 * unless a handler was first. The stock is one word, its next octave's address and beside it how many there are: a
 * handler that gets the thread another stock changes both at once.
 */
#include "profiler/stack/histogram.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/compiler.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/tree_store.h"

#define CALL_OCTAVE_SIZE (sizeof(uint64_t) << PROF_CALL_SUB_BITS)
#define STOCK            16u /* octaves */
#define LEAST_STOCK      4u
#define COUNT            (CALL_OCTAVE_SIZE - 1) /* the bits of an octave's address that are 0, and hold the count */

/* ------------------------------------------------------------------------------------------------------------------ */

_Static_assert(STOCK <= COUNT, "a stock's count is of its octaves' alignment");

void prof_histogram_prepare(struct prof_thread *t)
{
  if (!prof_process.settings.percentiles || (t->octaves & COUNT) >= LEAST_STOCK)
    return;
  /* Near the limit, counts come before percentiles. */
  prof_tree_check_pressure(&t->tree);
  if (t->tree.pressure != PROF_PRESSURE_NONE)
    return;
  /* Of that size it is aligned to 64 bytes, an octave's. */
  uintptr_t stock = (uintptr_t)prof_record_alloc(&t->tree, STOCK * CALL_OCTAVE_SIZE);
  __atomic_store_n(&t->octaves, stock ? stock | STOCK : 0, __ATOMIC_RELAXED);
}

/* An octave from the stock; NULL when it is used up. */
static uint64_t *take_octave(struct prof_thread *t)
{
  uint64_t stock;
  do {
    stock = __atomic_load_n(&t->octaves, __ATOMIC_RELAXED);
    if (!(stock & COUNT))
      return NULL;
  } while (!prof_replace(&t->octaves, stock, stock + CALL_OCTAVE_SIZE - 1));
  return (uint64_t *)(stock & ~COUNT);
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
  struct prof_histogram_place place = prof_histogram_place(PROF_CALL_SUB_BITS, ticks);
  uint64_t *counters = histogram ? prof_histogram_octave(histogram, place.octave) : NULL;
  if (histogram && !counters)
    counters = call_octave(t, histogram, place.octave);
  if (counters)
    prof_add(&counters[place.bucket], 1);
  else
    prof_count_loss(FMT_LOSS_HISTOGRAM, 1);
}
