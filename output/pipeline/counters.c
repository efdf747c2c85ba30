/* Sums what threads counted by key and stage, and what was added between two readings. */
#include "output/pipeline/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/index.h"
#include "output/text/text.h"

int out_counters_take(void *data, const struct fmt_rec_counter *record)
{
  struct out_pipeline_reader *reader = data;
  struct out_known_counter *known = base_vector_add(&reader->counter_of, 1);
  if (!known)
    return -ENOMEM;
  *known = (struct out_known_counter){.kind = record->kind};
  if (!out_pipeline_is_ours(reader, record->process))
    return 0;
  known->key = out_pipeline_copy_name(reader, record->name);
  return known->key ? 0 : -ENOMEM;
}

static int compare_text(const char *one, const char *other)
{
  if (!one || !other)
    return (one != NULL) - (other != NULL);
  return strcmp(one, other);
}

int out_counter_compare(const struct callsig_counter_stats *one, const struct callsig_counter_stats *other)
{
  int order = strcmp(one->key, other->key);
  if (order == 0)
    order = one->is_level - other->is_level;
  return order ? order : compare_text(one->stage, other->stage);
}

static struct out_counter *add_row(struct callsig_pipeline *pipeline, const struct callsig_counter_stats *wanted)
{
  struct out_counter *row = base_vector_add(&pipeline->counters, 1);
  if (row)
    *row = (struct out_counter){.stats = *wanted};
  return row;
}

/* By a search through all. */
static struct out_counter *find_row(struct callsig_pipeline *pipeline, const struct callsig_counter_stats *wanted)
{
  for (uint32_t i = 0; i < pipeline->counters.count; i++)
    if (out_counter_compare(&out_counter_at(pipeline, i)->stats, wanted) == 0)
      return out_counter_at(pipeline, i);
  return add_row(pipeline, wanted);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
  for (; *text; text++)
    hash = out_hash_mix(hash, (unsigned char)*text);
  return hash;
}

static bool equal_row(const void *owner, uint32_t number, const void *key)
{
  return out_counter_compare(&out_counter_at(owner, number)->stats, key) == 0;
}

/* Each key is a row in each stage, and each thread has a part of each: here they are found at once. */
static struct out_counter *find_known_row(struct out_pipeline_reader *reader,
                                          const struct callsig_counter_stats *wanted)
{
  struct callsig_pipeline *pipeline = reader->pipeline;
  const uint64_t hash =
      hash_text(hash_text((uint64_t)wanted->is_level, wanted->key), wanted->stage ? wanted->stage : "");
  const uint32_t known = out_idset_find(&reader->counter_set, hash, pipeline, wanted, equal_row);
  if (known != FMT_NONE)
    return out_counter_at(pipeline, known);
  struct out_counter *row = add_row(pipeline, wanted);
  return row && out_idset_add(&reader->counter_set, hash, pipeline->counters.count - 1) == 0 ? row : NULL;
}

/* A level as it was stored, with 2^63 added. */
static int64_t unbiased(uint64_t value)
{
  return (int64_t)(value - (UINT64_C(1) << 63));
}

static void add_extremes(struct callsig_counter_stats *stats, bool first, const struct fmt_rec_counter_use *use)
{
  if (!stats->is_level || use->least > use->most)
    return;
  const int64_t least = unbiased(use->least), most = unbiased(use->most);
  stats->min = first || least < stats->min ? least : stats->min;
  stats->max = first || most > stats->max ? most : stats->max;
}

void out_counter_derive(struct callsig_counter_stats *stats, uint64_t amount)
{
  stats->total = stats->is_level ? 0 : amount;
  stats->mean = 0;
  if (stats->count > 0)
    stats->mean = (stats->is_level ? (double)(int64_t)amount : (double)amount) / (double)stats->count;
}

/* Joins the slots of a row to those of another, which begin at the same time. */
static void join_slots(struct out_counter *target, uint32_t shift, const struct fmt_rec_counter_slot *slots)
{
  struct fmt_rec_counter_slot wide[FMT_COUNTER_SLOTS];
  memcpy(wide, slots, sizeof wide);
  for (; target->shift < shift; target->shift++)
    fmt_counter_slots_widen(target->slots);
  for (; shift < target->shift; shift++)
    fmt_counter_slots_widen(wide);
  for (unsigned i = 0; i < FMT_COUNTER_SLOTS; i++) {
    target->slots[i].amount += wide[i].amount;
    target->slots[i].count += wide[i].count;
  }
}

int out_counters_add(struct out_pipeline_reader *reader, const struct fmt_rec_thread *thread,
                     const struct fmt_rec_counter_use *use, uint32_t counter, const char *stage)
{
  struct callsig_pipeline *pipeline = reader->pipeline;
  const struct out_known_counter *known = base_vector_at(&reader->counter_of, counter);
  if (!known->key) {
    reader->recording->damaged++;
    return 0;
  }
  /* It is being made. */
  if (use->count == 0)
    return 0;
  struct callsig_counter_stats stats = {.size = sizeof stats,
                                        .key = known->key,
                                        .stage = stage,
                                        .is_level = known->kind == FMT_COUNTER_LEVEL,
                                        .count = use->count};
  stats.value = stats.is_level ? (int64_t)use->last : 0;
  if (!out_recording_spend(reader->recording, sizeof *use)) {
    reader->recording->damaged++;
    return 0;
  }
  struct out_counter *row = find_known_row(reader, &stats);
  if (!row)
    return -ENOMEM;
  const bool first = row->last_ticks == 0;
  row->stats.count = first ? stats.count : row->stats.count + stats.count;
  row->amount += use->amount;
  add_extremes(&row->stats, first, use);
  if (first || use->last_ticks > row->last_ticks) {
    row->last_ticks = use->last_ticks ? use->last_ticks : 1;
    row->stats.value = stats.value;
  }
  out_counter_derive(&row->stats, row->amount);
  join_slots(row, use->shift, use->slots);
  out_pipeline_saw(reader, use->last_ticks);
  struct out_counter_thread *part = base_vector_add(&pipeline->counter_parts, 1);
  stats.thread = out_pipeline_copy_text(reader->pipeline, thread->name, strnlen(thread->name, sizeof thread->name));
  stats.tid = thread->tid;
  if (!part || !stats.thread)
    return -ENOMEM;
  add_extremes(&stats, true, use);
  out_counter_derive(&stats, use->amount);
  *part =
      (struct out_counter_thread){.stats = stats, .amount = use->amount, .serial = thread->tid ? thread->serial : 0};
  return 0;
}

static int compare_counters(const void *one, const void *other)
{
  return out_counter_compare(one, other);
}

static int compare_threads(const void *one, const void *other)
{
  const struct out_counter_thread *a = one, *b = other;
  int order = out_counter_compare(&a->stats, &b->stats);
  if (order == 0)
    order = (a->stats.tid > b->stats.tid) - (a->stats.tid < b->stats.tid);
  return order ? order : (a->serial > b->serial) - (a->serial < b->serial);
}

void out_counters_sort(struct callsig_pipeline *pipeline)
{
  if (pipeline->counters.count > 0)
    qsort(pipeline->counters.data, pipeline->counters.count, sizeof(struct out_counter), compare_counters);
  if (pipeline->counter_parts.count > 0)
    qsort(pipeline->counter_parts.data, pipeline->counter_parts.count, sizeof(struct out_counter_thread),
          compare_threads);
}

static const struct out_counter *find_before(const struct callsig_pipeline *before,
                                             const struct callsig_counter_stats *wanted)
{
  for (uint32_t i = 0; before && i < before->counters.count; i++)
    if (out_counter_compare(&out_counter_at(before, i)->stats, wanted) == 0)
      return out_counter_at(before, i);
  return NULL;
}

int out_counter_copy_strings(struct callsig_pipeline *pipeline, struct callsig_counter_stats *stats)
{
  stats->key = base_arena_copy(&pipeline->strings, stats->key, strlen(stats->key));
  if (!stats->key ||
      (stats->stage && !(stats->stage = base_arena_copy(&pipeline->strings, stats->stage, strlen(stats->stage)))))
    return -ENOMEM;
  if (stats->thread && !(stats->thread = base_arena_copy(&pipeline->strings, stats->thread, strlen(stats->thread))))
    return -ENOMEM;
  return 0;
}

int out_counters_add_sum(struct callsig_pipeline *pipeline, const struct callsig_counter_stats *stats, uint64_t amount)
{
  const uint32_t known = pipeline->counters.count;
  struct out_counter *row = find_row(pipeline, stats);
  if (!row || (pipeline->counters.count > known && out_counter_copy_strings(pipeline, &row->stats) < 0))
    return -ENOMEM;
  row->stats.count = pipeline->counters.count > known ? stats->count : row->stats.count + stats->count;
  row->amount += amount;
  return 0;
}

int out_counters_delta(const struct callsig_pipeline *before, const struct callsig_pipeline *now,
                       struct callsig_pipeline *delta)
{
  for (uint32_t i = 0; i < now->counters.count; i++) {
    const struct out_counter *from = out_counter_at(now, i);
    const struct out_counter *known = find_before(before, &from->stats);
    struct out_counter *row = base_vector_add(&delta->counters, 1);
    if (!row)
      return -ENOMEM;
    *row = *from;
    if (out_counter_copy_strings(delta, &row->stats) < 0)
      return -ENOMEM;
    if (known) {
      row->stats.count -= known->stats.count;
      row->amount -= known->amount;
    }
    out_counter_derive(&row->stats, row->amount);
  }
  return 0;
}
