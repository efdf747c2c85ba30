/* Reads what each function has done so far, and subtracts one reading from the next. */
#include "output/pipeline/function_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/index.h"
#include "output/stats/stats_object.h"
#include "output/text/idset.h"
#include "output/text/message.h"

int out_function_sums_add(struct callsig_pipeline *pipeline, const struct callsig_function_stats *row)
{
  struct base_arena *strings = &pipeline->strings;
  struct callsig_function_stats copy = *row;
  copy.size = sizeof copy;
  copy.function = base_arena_copy(strings, row->function, strlen(row->function));
  copy.signature = base_arena_copy(strings, row->signature, strlen(row->signature));
  copy.stage = base_arena_copy(strings, row->stage, strlen(row->stage));
  struct callsig_function_stats *added = base_vector_add(&pipeline->functions, 1);
  if (!copy.function || !copy.signature || !copy.stage || !added)
    return -ENOMEM;
  *added = copy;
  return 0;
}

/* Rows on their way into a pipeline. */
struct taking {
  struct callsig_stats *stats;
  struct callsig_pipeline *pipeline;
  struct out_names names;
  const char **functions; /* by number: what the function is called, NULL: not made yet */
  struct out_arguments scratch;
  struct out_text signature;
};

/* "file:line(function)", or the name of an action: made once for all rows of the function. NULL: memory is short. */
static const char *name_function(struct taking *taking, const struct out_row_key *key)
{
  const struct out_profile *profile = &taking->stats->profile;
  const uint32_t number = out_stats_function(taking->stats, key);
  const struct out_known_function *function = out_profile_function(profile, number);
  const char **called = &taking->functions[number], *name = out_profile_string(profile, function->name);
  if (!*called && function->is_action)
    *called = name;
  else if (!*called)
    *called = base_arena_printf(&taking->pipeline->strings, "%s:%u(%s)", out_profile_string(profile, function->file),
                                function->line, name);
  return *called;
}

static int take_row(struct taking *taking, const struct out_row *row)
{
  const double tick = taking->stats->grouping.tick;
  out_text_clear(&taking->signature);
  out_row_signature(&taking->names, &row->key, &taking->scratch, &taking->signature);
  const struct callsig_function_stats sums = {.function = name_function(taking, &row->key),
                                              .signature = out_text_string(&taking->signature),
                                              .stage = row->key.stage ? out_row_stage(&taking->names, &row->key) : "",
                                              .ncalls = (int64_t)row->calls,
                                              .tottime = (double)(int64_t)row->own * tick,
                                              .cumtime = (double)row->cumulative * tick};
  if (!sums.function || taking->signature.failed)
    return -ENOMEM;
  return out_function_sums_add(taking->pipeline, &sums);
}

static int take_rows(struct callsig_stats *stats, struct callsig_pipeline *pipeline)
{
  int result = callsig_stats_group(stats, CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE);
  if (result == 0)
    result = out_stats_build(stats);
  if (result < 0)
    return result;
  struct taking taking = {.stats = stats,
                          .pipeline = pipeline,
                          .names = out_stats_names(stats),
                          .functions = calloc(stats->profile.functions.count + 1u, sizeof *taking.functions)};
  result = taking.functions ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < stats->rows.list.count && result == 0; i++)
    result = take_row(&taking, out_rows_at(&stats->rows, i));
  free(taking.functions);
  out_arguments_free(&taking.scratch);
  out_text_free(&taking.signature);
  return result < 0 ? out_stats_no_memory() : 0;
}

int out_function_sums_read(int file, const char *path, const struct fmt_rec_clock_point *now,
                           struct callsig_pipeline *pipeline)
{
  struct callsig_stats *stats;
  int result = out_stats_read_file(file, path, now, &stats);
  if (result < 0)
    return result;
  result = take_rows(stats, pipeline);
  callsig_stats_free(stats);
  pipeline->has_functions = result == 0;
  return result;
}

void out_function_sums_drop(struct callsig_pipeline *pipeline)
{
  pipeline->functions.count = 0;
  pipeline->has_functions = false;
}

static uint64_t hash_string(uint64_t hash, const char *string)
{
  while (*string)
    hash = out_hash_mix(hash, (unsigned char)*string++);
  return out_hash_mix(hash, 256);
}

static uint64_t hash_row(const struct callsig_function_stats *row)
{
  return hash_string(hash_string(hash_string(0, row->function), row->signature), row->stage);
}

static bool equal_row(const void *owner, uint32_t number, const void *key)
{
  const struct callsig_function_stats *row = base_vector_at(owner, number), *wanted = key;
  return strcmp(row->function, wanted->function) == 0 && strcmp(row->signature, wanted->signature) == 0 &&
         strcmp(row->stage, wanted->stage) == 0;
}

/* The rows of the reading before. */
struct earlier {
  const struct base_vector *rows;
  struct out_idset set; /* of all of them, from the first one on that is not where it was */
  uint32_t next;        /* where the next one was, if it comes in the same order, as most do */
};

static int index_rows(const struct base_vector *rows, struct out_idset *set)
{
  int result = 0;
  for (uint32_t i = 0; i < rows->count && result == 0; i++)
    result = out_idset_add(set, hash_row(base_vector_at(rows, i)), i);
  return result;
}

/* The earlier row of the same name: FMT_NONE for none. -ENOMEM. */
static int find_earlier(struct earlier *earlier, const struct callsig_function_stats *row, uint32_t *number)
{
  const struct base_vector *rows = earlier->rows;
  *number = earlier->next;
  if (earlier->next >= rows->count || !equal_row(rows, earlier->next, row)) {
    int result = earlier->set.used ? 0 : index_rows(rows, &earlier->set);
    if (result < 0)
      return result;
    *number = rows->count ? out_idset_find(&earlier->set, hash_row(row), rows, row, equal_row) : FMT_NONE;
  }
  if (*number != FMT_NONE)
    earlier->next = *number + 1;
  return 0;
}

/* Adds what a row has more than the earlier one of its name, NULL for none, unless that is nothing. */
static int add_difference(const struct callsig_function_stats *before, const struct callsig_function_stats *now,
                          struct callsig_pipeline *delta)
{
  struct callsig_function_stats difference = *now;
  if (before) {
    difference.ncalls -= before->ncalls;
    difference.tottime -= before->tottime;
    difference.cumtime -= before->cumtime;
  }
  if (difference.ncalls == 0 && difference.tottime == 0 && difference.cumtime == 0)
    return 0;
  return out_function_sums_add(delta, &difference);
}

/* The same of a row that is there no more. */
static int add_vanished(const struct callsig_function_stats *before, struct callsig_pipeline *delta)
{
  struct callsig_function_stats now = *before;
  now.ncalls = 0;
  now.tottime = now.cumtime = 0;
  return add_difference(before, &now, delta);
}

static int subtract_rows(struct earlier *earlier, const struct base_vector *now, unsigned char *met,
                         struct callsig_pipeline *delta)
{
  int result = 0;
  for (uint32_t i = 0; i < now->count && result == 0; i++) {
    const struct callsig_function_stats *row = base_vector_at(now, i);
    uint32_t old;
    result = find_earlier(earlier, row, &old);
    if (result == 0 && old != FMT_NONE)
      met[old] = 1;
    if (result == 0)
      result = add_difference(old == FMT_NONE ? NULL : base_vector_at(earlier->rows, old), row, delta);
  }
  for (uint32_t i = 0; i < earlier->rows->count && result == 0; i++)
    if (!met[i])
      result = add_vanished(base_vector_at(earlier->rows, i), delta);
  return result;
}

int out_function_sums_subtract(const struct base_vector *before, const struct base_vector *now,
                               struct callsig_pipeline *delta)
{
  const struct base_vector none = BASE_VECTOR_OF(struct callsig_function_stats);
  struct earlier earlier = {.rows = before ? before : &none};
  unsigned char *met = calloc(earlier.rows->count + 1u, 1);
  int result = met ? subtract_rows(&earlier, now, met, delta) : -ENOMEM;
  out_idset_free(&earlier.set);
  free(met);
  return result;
}
