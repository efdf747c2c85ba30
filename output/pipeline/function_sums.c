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

static int take_row(struct callsig_stats *stats, const struct out_names *names, const struct out_row *row,
                    struct out_arguments *scratch, struct callsig_pipeline *pipeline)
{
  const struct out_known_function *function = out_row_function(names, &row->key);
  const double tick = stats->grouping.tick;
  struct out_text name = {0}, signature = {0};
  if (function->is_action)
    out_text_puts(&name, out_profile_string(&stats->profile, function->name));
  else
    out_text_printf(&name, "%s:%u(%s)", out_profile_string(&stats->profile, function->file), function->line,
                    out_profile_string(&stats->profile, function->name));
  out_row_signature(names, &row->key, scratch, &signature);
  struct callsig_function_stats sums = {.function = out_text_string(&name),
                                        .signature = out_text_string(&signature),
                                        .stage = row->key.stage ? out_row_stage(names, &row->key) : "",
                                        .ncalls = (int64_t)row->calls,
                                        .tottime = (double)(int64_t)row->own * tick,
                                        .cumtime = (double)row->cumulative * tick};
  int result = name.failed || signature.failed ? -ENOMEM : out_function_sums_add(pipeline, &sums);
  out_text_free(&name);
  out_text_free(&signature);
  return result;
}

static int take_rows(struct callsig_stats *stats, struct callsig_pipeline *pipeline)
{
  int result = callsig_stats_group(stats, CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE);
  if (result == 0)
    result = out_stats_prepare(stats);
  if (result < 0)
    return result;
  struct out_names names = out_stats_names(stats);
  struct out_arguments scratch = {0};
  for (uint32_t i = 0; i < stats->listed && result == 0; i++)
    result = take_row(stats, &names, out_rows_at(&stats->rows, stats->order[i]), &scratch, pipeline);
  out_arguments_free(&scratch);
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

static int index_rows(const struct base_vector *rows, struct out_idset *set)
{
  int result = 0;
  for (uint32_t i = 0; i < rows->count && result == 0; i++)
    result = out_idset_add(set, hash_row(base_vector_at(rows, i)), i);
  return result;
}

/* Adds the difference of two rows, of which one may be NULL, unless it is none. */
static int add_difference(const struct callsig_function_stats *before, const struct callsig_function_stats *now,
                          struct callsig_pipeline *delta)
{
  struct callsig_function_stats difference = now ? *now : *before;
  difference.ncalls = (now ? now->ncalls : 0) - (before ? before->ncalls : 0);
  difference.tottime = (now ? now->tottime : 0) - (before ? before->tottime : 0);
  difference.cumtime = (now ? now->cumtime : 0) - (before ? before->cumtime : 0);
  if (difference.ncalls == 0 && difference.tottime == 0 && difference.cumtime == 0)
    return 0;
  return out_function_sums_add(delta, &difference);
}

static int subtract_rows(const struct base_vector *before, const struct base_vector *now, const struct out_idset *set,
                         unsigned char *met, struct callsig_pipeline *delta)
{
  int result = 0;
  for (uint32_t i = 0; i < now->count && result == 0; i++) {
    const struct callsig_function_stats *row = base_vector_at(now, i);
    uint32_t old = out_idset_find(set, hash_row(row), before, row, equal_row);
    if (old != FMT_NONE)
      met[old] = 1;
    result = add_difference(old == FMT_NONE ? NULL : base_vector_at(before, old), row, delta);
  }
  for (uint32_t i = 0; i < before->count && result == 0; i++)
    if (!met[i])
      result = add_difference(base_vector_at(before, i), NULL, delta);
  return result;
}

int out_function_sums_subtract(const struct base_vector *before, const struct base_vector *now,
                               struct callsig_pipeline *delta)
{
  const struct base_vector none = BASE_VECTOR_OF(struct callsig_function_stats);
  struct out_idset set = {0};
  if (!before)
    before = &none;
  unsigned char *met = calloc(before->count + 1u, 1);
  int result = met ? index_rows(before, &set) : -ENOMEM;
  if (result == 0)
    result = subtract_rows(before, now, &set, met, delta);
  out_idset_free(&set);
  free(met);
  return result;
}
