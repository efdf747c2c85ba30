/* Hands out rows one by one, with their texts. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "output/profile/process.h"
#include "output/stats/percentile.h"
#include "output/stats/public_struct.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"

/* A text that rows may have: where it is kept, whether these rows have it, and what makes it. */
struct row_text {
  char ***kept; /* by row */
  bool is_there;
  void (*put)(const struct out_names *names, const struct out_row_key *key, struct out_text *text);
};

static void put_signature(const struct out_names *names, const struct out_row_key *key, struct out_text *text)
{
  struct out_arguments scratch = {0};
  out_row_signature(names, key, &scratch, text);
  out_arguments_free(&scratch);
}

static void put_caller(const struct out_names *names, const struct out_row_key *key, struct out_text *text)
{
  out_row_frame(names, key, 0, text);
}

static void put_site(const struct out_names *names, const struct out_row_key *key, struct out_text *text)
{
  out_row_site(names, key, text);
}

/* The row's text, made once and kept as long as the rows. NULL with `*result` as it was: it has none. */
static const char *text_of(struct callsig_stats *stats, const struct out_names *names, uint32_t number,
                           const struct row_text *wanted, int *result)
{
  char **list = *wanted->kept;
  if (!wanted->is_there)
    return NULL;
  if (!list)
    list = *wanted->kept = calloc(stats->rows.list.count + 1u, sizeof *list);
  if (list && !list[number]) {
    struct out_text text = {0};
    wanted->put(names, &out_rows_at(&stats->rows, number)->key, &text);
    if (!text.failed)
      list[number] = base_arena_copy(&stats->texts, out_text_string(&text), text.length);
    out_text_free(&text);
  }
  const char *made = list ? list[number] : NULL;
  if (!made)
    *result = out_stats_no_memory();
  return made && made[0] ? made : NULL;
}

static struct row_text caller_text(struct callsig_stats *stats)
{
  return (struct row_text){&stats->callers, stats->frames > 0, put_caller};
}

/* Makes the rows, and sees that this one is listed. */
static int find_row(struct callsig_stats *stats, size_t index)
{
  const int result = out_stats_prepare(stats);
  if (result < 0 || index < stats->listed)
    return result;
  return out_stats_fail(-EINVAL, "there is no row %zu: there are %u", index, stats->listed);
}

int out_stats_row_caller(struct callsig_stats *stats, size_t index, const char **caller)
{
  int result = find_row(stats, index);
  if (result < 0)
    return result;
  const struct row_text text = caller_text(stats);
  const struct out_names names = out_stats_names(stats);
  *caller = text_of(stats, &names, stats->order[index], &text, &result);
  return result;
}

bool out_stats_has_errors(const struct callsig_stats *stats)
{
  bool has_untimed = false;
  for (uint32_t i = 0; i < stats->profile.functions.count && !has_untimed; i++)
    has_untimed = out_profile_function(&stats->profile, i)->is_untimed;
  return stats->errors != NULL || has_untimed;
}

int callsig_stats_row(struct callsig_stats *stats, size_t index, struct callsig_stats_row *row)
{
  int result = find_row(stats, index);
  if (result < 0)
    return result;
  if (row->size > offsetof(struct callsig_stats_row, p50))
    result = out_stats_percentiles(stats);
  if (result == 0 && row->size > offsetof(struct callsig_stats_row, wait))
    result = out_stats_inclusive_sleep(stats);
  if (result < 0)
    return result;
  uint32_t number = stats->order[index];
  const struct out_percentiles *percentiles = stats->percentiles ? &stats->percentiles[number] : NULL;
  const struct out_row *known = out_rows_at(&stats->rows, number);
  const struct out_row_error error = out_stats_error(stats, number);
  const struct out_row_sleep sleep = out_stats_sleep(stats, number);
  const struct out_row_asked asked = out_row_asked(&stats->rows, number);
  struct out_names names = out_stats_names(stats);
  const struct out_known_function *function = out_row_function(&names, &known->key);
  double tick = stats->grouping.tick;
  const struct row_text signature = {&stats->signatures, (stats->by & CALLSIG_BY_SIGNATURE) != 0, put_signature},
                        caller = caller_text(stats),
                        site = {&stats->sites, (stats->by & CALLSIG_BY_SITE) != 0, put_site};
  struct callsig_stats_row full = {
      .size = sizeof full,
      .file = function ? out_profile_string(&stats->profile, function->file) : NULL,
      .line = function ? function->line : 0,
      .function = function ? out_profile_string(&stats->profile, function->name) : NULL,
      .signature = text_of(stats, &names, number, &signature, &result),
      .stage = known->key.stage == 0 ? NULL : out_row_stage(&names, &known->key),
      .thread = known->key.thread == FMT_NONE ? NULL : out_profile_string(&stats->profile, known->key.thread),
      .module = known->key.module == FMT_NONE ? NULL : out_profile_string(&stats->profile, known->key.module),
      .process = out_row_process(&names, &known->key),
      .rank = out_row_rank(&names, &known->key),
      .ncalls = known->calls,
      .pcalls = known->primitive,
      .tottime = (double)known->own * tick,
      .cumtime = (double)known->cumulative * tick,
      .min = (double)known->min * tick,
      .max = (double)known->max * tick,
      .p50 = percentiles ? percentiles->value[OUT_P50] * tick : NAN,
      .p90 = percentiles ? percentiles->value[OUT_P90] * tick : NAN,
      .p99 = percentiles ? percentiles->value[OUT_P99] * tick : NAN,
      .tottime_error = error.own * tick,
      .cumtime_error = error.cumulative * tick,
      .timed_calls = known->calls - error.untimed,
      .uncertain = error.is_uncertain,
      .wait = sleep.own * tick,
      .cumwait = sleep.cumulative * tick,
      .wait_error = sleep.own_error * tick,
      .cumwait_error = sleep.cumulative_error * tick,
      .allocs = asked.is_known ? (double)asked.sum.calls : NAN,
      .allocbytes = asked.is_known ? (double)asked.sum.bytes : NAN,
      .unfreed_allocs = out_row_asked_kept_known(&asked) ? (double)out_asked_kept_calls(&asked.sum) : NAN,
      .unfreed = out_row_asked_kept_known(&asked) ? (double)out_asked_kept_bytes(&asked.sum) : NAN,
      .caller = text_of(stats, &names, number, &caller, &result),
      .site = text_of(stats, &names, number, &site, &result),
  };
  out_struct_hand_out(row, &full, sizeof full);
  return result;
}
