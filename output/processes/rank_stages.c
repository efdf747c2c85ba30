/* Stages over ranks: rows of what tasks took, rank by rank. Processes of one rank are that rank. */
#include "output/processes/rank_stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/recording/chance.h"

/* A stage of one process. */
struct entry {
  const struct callsig_pipeline *pipeline;
  const struct out_stage *stage;
};

/* One of several ranks. */
struct extreme {
  double time;
  int64_t rank;
};

struct sums {
  uint64_t tasks, failures;
  unsigned ranks;
  double time; /* of all tasks */
  struct extreme least, most;
  struct out_values values; /* seconds of those that succeeded */
};

bool out_is_same_program(const struct callsig_pipeline *left, const struct callsig_pipeline *right)
{
  if (left->build_id_size > 0 && right->build_id_size > 0)
    return left->build_id_size == right->build_id_size &&
           memcmp(left->build_id, right->build_id, left->build_id_size) == 0;
  return strcmp(left->info.program, right->info.program) == 0;
}

/* By program, stage and rank. */
static int compare(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  const struct callsig_stage_stats *left = &x->stage->stats, *right = &y->stage->stats;
  int order = strcmp(x->pipeline->info.program, y->pipeline->info.program);
  if (order == 0)
    order = (left->pipeline > right->pipeline) - (left->pipeline < right->pipeline);
  if (order == 0)
    order = (left->index > right->index) - (left->index < right->index);
  if (order == 0)
    order = strcmp(left->label, right->label);
  return order ? order : (x->pipeline->rank > y->pipeline->rank) - (x->pipeline->rank < y->pipeline->rank);
}

static bool is_same_stage(const struct entry *a, const struct entry *b)
{
  return strcmp(a->stage->stats.label, b->stage->stats.label) == 0 && out_is_same_program(a->pipeline, b->pipeline);
}

/* Adds what one rank did, which the entries from the first on have, up to `end`. The result is where the next rank's
 * begin, or NULL without memory. */
static const struct entry *add_rank(struct sums *sums, const struct entry *first, const struct entry *end)
{
  struct extreme own = {0, first->pipeline->rank};
  for (; first < end && first->pipeline->rank == own.rank; first++) {
    const struct callsig_stage_stats *stats = &first->stage->stats;
    sums->tasks += stats->num_tasks;
    sums->failures += stats->num_failures;
    own.time += stats->total_time + stats->failed_time;
    if (out_values_add(&sums->values, &first->stage->times, first->pipeline->tick) < 0)
      return NULL;
  }
  sums->time += own.time;
  if (sums->ranks == 0 || own.time < sums->least.time)
    sums->least = own;
  if (sums->ranks++ == 0 || own.time > sums->most.time)
    sums->most = own;
  return first;
}

static int by_value(const void *a, const void *b)
{
  const struct out_value *x = a, *y = b;
  return (x->value > y->value) - (x->value < y->value);
}

/* The time that so many of a thousand tasks stay below, of values in ascending order. */
static double percentile(const struct out_values *values, unsigned permille)
{
  double before = 0, value = 0;
  for (uint32_t i = 0; i < values->list.count && before <= values->count * permille / 1000; i++) {
    const struct out_value *at = base_vector_at(&values->list, i);
    value = at->value;
    before += at->count;
  }
  return value;
}

/* How far the ranks are from being even, in percent: 0, or 100 where one has all. */
static double imbalance_of(const struct sums *sums)
{
  const double mean = sums->time / sums->ranks;
  return sums->most.time > 0 ? 100 * (sums->most.time - mean) / sums->most.time * sums->ranks / (sums->ranks - 1) : 0;
}

static void put_row(struct out_text *text, const char *label, const struct sums *sums)
{
  out_text_printf(text, " %9llu %8llu %6u %9.3f %9.3f %9.3f %9.3f %8.1f%%  ", (unsigned long long)sums->tasks,
                  (unsigned long long)sums->failures, sums->ranks, sums->time, sums->least.time,
                  sums->time / sums->ranks, sums->most.time, imbalance_of(sums));
  out_text_puts(text, label);
  out_text_printf(text, " [least: rank %lld] [most: rank %lld]", (long long)sums->least.rank,
                  (long long)sums->most.rank);
  /* Of tasks that all failed there are no times. */
  if (sums->values.list.count > 0)
    out_text_printf(text, " p50 %.3fms, p99 %.3fms", percentile(&sums->values, 500) * 1e3,
                    percentile(&sums->values, 990) * 1e3);
  out_text_puts(text, "\n");
}

/* The row of the entries from the first to before the end, which are of one stage. *rows: so far. */
static int put_stage(struct out_text *text, const struct entry *first, const struct entry *end, unsigned *rows)
{
  struct sums sums = {.values = out_values_new()};
  const char *label = first->stage->stats.label;
  while (first && first < end)
    first = add_rank(&sums, first, end);
  if (first && sums.ranks > 1) {
    if ((*rows)++ == 0)
      out_text_puts(text, "   Stages over ranks, by the seconds of each rank's tasks\n\n"
                          "     tasks failures  ranks      time     least      mean      most imbalance  stage\n");
    if (sums.values.list.count > 0)
      qsort(sums.values.list.data, sums.values.list.count, sizeof(struct out_value), by_value);
    put_row(text, label, &sums);
  }
  out_values_free(&sums.values);
  return first ? 0 : -ENOMEM;
}

/* The stages of all that have a rank. */
static size_t collect(struct entry *entries, const struct callsig_pipeline *const *pipelines, size_t count)
{
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    for (uint32_t j = 0; pipelines[i]->has_rank && j < pipelines[i]->stages.count; j++)
      entries[found++] = (struct entry){pipelines[i], out_pipeline_stage_at(pipelines[i], j)};
  qsort(entries, found, sizeof *entries, compare);
  return found;
}

int out_put_rank_stages(struct out_text *text, const struct callsig_pipeline *const *pipelines, size_t count)
{
  size_t most = 1;
  for (size_t i = 0; i < count; i++)
    most += pipelines[i]->stages.count;
  struct entry *entries = calloc(most, sizeof *entries);
  if (!entries)
    return -ENOMEM;
  const size_t found = collect(entries, pipelines, count);
  unsigned rows = 0;
  int result = 0;
  for (size_t i = 0, end; i < found && result == 0; i = end) {
    for (end = i + 1; end < found && is_same_stage(&entries[i], &entries[end]);)
      end++;
    result = put_stage(text, &entries[i], &entries[end], &rows);
  }
  if (rows > 0)
    out_text_puts(text, "\n");
  free(entries);
  return result;
}
