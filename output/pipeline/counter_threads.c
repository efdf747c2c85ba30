/* What threads counted between two readings. */
#include <errno.h>
#include <string.h>

#include "output/pipeline/counters.h"

/* Both readings' rows, in order, from one key and stage to the next. */
struct walk {
  const struct callsig_pipeline *before, *now;
  struct callsig_pipeline *delta;
  uint32_t known, next;
};

static const struct out_counter_thread *known_row(const struct walk *walk)
{
  return walk->before && walk->known < walk->before->counter_parts.count
             ? out_counter_thread_at(walk->before, walk->known)
             : NULL;
}

static const struct out_counter_thread *next_row(const struct walk *walk)
{
  return walk->next < walk->now->counter_parts.count ? out_counter_thread_at(walk->now, walk->next) : NULL;
}

static int compare_in_group(const struct out_counter_thread *one, const struct out_counter_thread *other)
{
  if (one->stats.tid != other->stats.tid)
    return one->stats.tid < other->stats.tid ? -1 : 1;
  return (one->serial > other->serial) - (one->serial < other->serial);
}

/* The row without what was told before. */
static int add(struct walk *walk, const struct out_counter_thread *row, uint64_t count, uint64_t amount)
{
  if (row->stats.count == count)
    return 0;
  struct out_counter_thread *added = base_vector_add(&walk->delta->counter_parts, 1);
  if (!added)
    return -ENOMEM;
  *added = *row;
  added->stats.count -= count;
  added->amount -= amount;
  out_counter_derive(&added->stats, added->amount);
  return out_counter_copy_strings(walk->delta, &added->stats);
}

/* All threads' rows of one key and stage. */
static int add_group(struct walk *walk, const struct callsig_counter_stats *of)
{
  const struct out_counter_thread *row, *known, *folded = NULL;
  uint64_t count = 0, amount = 0; /* told of the folded threads, and of threads that are folded now */
  int result = 0;
  for (;;) {
    row = next_row(walk);
    known = known_row(walk);
    row = row && out_counter_compare(&row->stats, of) == 0 ? row : NULL;
    known = known && out_counter_compare(&known->stats, of) == 0 ? known : NULL;
    if ((!row && !known) || result < 0)
      break;
    const int order = !row ? 1 : !known ? -1 : compare_in_group(row, known);
    walk->next += order <= 0;
    walk->known += order >= 0;
    if (order >= 0 && (order > 0 || known->serial == 0)) {
      count += known->stats.count;
      amount += known->amount;
    }
    if (order <= 0 && row->serial == 0)
      folded = row;
    else if (order <= 0)
      result = add(walk, row, order == 0 ? known->stats.count : 0, order == 0 ? known->amount : 0);
  }
  return result == 0 && folded ? add(walk, folded, count, amount) : result;
}

int out_counter_threads_delta(const struct callsig_pipeline *before, const struct callsig_pipeline *now,
                              struct callsig_pipeline *delta)
{
  struct walk walk = {.before = before, .now = now, .delta = delta};
  int result = 0;
  while (result == 0) {
    const struct out_counter_thread *row = next_row(&walk), *known = known_row(&walk);
    if (!row && !known)
      break;
    const bool is_row = row && (!known || out_counter_compare(&row->stats, &known->stats) <= 0);
    result = add_group(&walk, is_row ? &row->stats : &known->stats);
  }
  return result;
}

int out_counter_threads_add_sum(struct callsig_pipeline *pipeline, const struct out_counter_thread *sum)
{
  const uint32_t count = pipeline->counter_parts.count;
  struct out_counter_thread *last = count > 0 ? out_counter_thread_at(pipeline, count - 1) : NULL;
  if (last && out_counter_compare(&last->stats, &sum->stats) == 0 && compare_in_group(last, sum) == 0) {
    last->stats.count += sum->stats.count;
    last->amount += sum->amount;
    return 0;
  }
  struct out_counter_thread *added = base_vector_add(&pipeline->counter_parts, 1);
  if (!added)
    return -ENOMEM;
  *added = *sum;
  return out_counter_copy_strings(pipeline, &added->stats);
}
