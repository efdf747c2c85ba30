/* Compares the two sides: functions meet, rows are summed file by file, and each row's change is tested and judged. */
#include "output/diff/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/diff/match_functions.h"
#include "output/diff/timed_alike.h"
#include "output/profile/call_place.h"
#include "output/stats/strip.h"
#include "output/text/message.h"
#include "output/text/t_test.h"

/* What one file's recordings add to a row, in ticks. */
struct amount {
  uint64_t calls, own, cumulative;
  double own_error, cumulative_error; /* squares */
};

/* A diff on its way: every row of any file, and what each file adds to it. */
struct work {
  struct out_diff *diff;
  uint32_t old_count, count; /* of the files: those of the old side, all */
  const struct out_diff_file *files;
  uint32_t *columns;        /* by file: its place in a row's amounts, where those of the old side come first */
  uint32_t *thread_columns; /* by thread: the column of the file that it came with */
  uint8_t *threads;         /* those of one column that the filter selects */
  struct out_rows rows;     /* of all files: what numbers rows */
  struct base_vector table; /* struct amount, `count` of them for each row */
};

double out_diff_value(const struct out_diff_side *side, enum callsig_diff_metric metric)
{
  if (metric == CALLSIG_DIFF_CUMTIME)
    return side->cumulative;
  if (metric == CALLSIG_DIFF_PERCALL)
    return side->calls > 0 ? side->own / side->calls : 0;
  return side->own;
}

/* How far that may be off. */
static double metric_error(const struct out_diff_side *side, enum callsig_diff_metric metric)
{
  if (metric == CALLSIG_DIFF_CUMTIME)
    return side->cumulative_error;
  if (metric == CALLSIG_DIFF_PERCALL)
    return side->calls > 0 ? side->own_error / side->calls : 0;
  return side->own_error;
}

double out_diff_relative(const struct out_diff_change *change, enum callsig_diff_metric metric)
{
  double amount = out_diff_amount(change, metric), old = out_diff_value(&change->old, metric);
  if (amount == 0)
    return 0;
  return old > 0 ? amount / old : INFINITY;
}

struct out_names out_diff_names(const struct out_diff *diff)
{
  struct out_names names = out_stats_names(diff->stats);
  names.shown_function = diff->shown;
  return names;
}

static int find_columns(struct work *work)
{
  const struct out_profile *profile = &work->diff->stats->profile;
  work->threads = calloc(profile->threads.count + 1u, 1);
  work->thread_columns = calloc(profile->threads.count + 1u, sizeof *work->thread_columns);
  work->columns = calloc(work->count, sizeof *work->columns);
  if (!work->threads || !work->thread_columns || !work->columns)
    return -ENOMEM;
  uint32_t old_column = 0, new_column = work->old_count, file = 0;
  for (uint32_t i = 0; i < work->count; i++)
    work->columns[i] = work->files[i].is_new ? new_column++ : old_column++;
  /* Threads come in the order of their recordings, but for those of a merged one. */
  for (uint32_t i = 0; i < profile->threads.count; i++) {
    uint32_t recording = out_profile_thread(profile, i)->recording;
    while (file > 0 && recording < work->files[file - 1].end)
      file--;
    while (file + 1 < work->count && recording >= work->files[file].end)
      file++;
    work->thread_columns[i] = work->columns[file];
  }
  return 0;
}

/* By function: on which sides it was called. */
static uint8_t *find_sides(const struct work *work)
{
  const struct out_profile *profile = &work->diff->stats->profile;
  uint8_t *sides = calloc(profile->functions.count + 1u, 1);
  for (uint32_t i = 0; sides && i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    uint32_t context = out_profile_variant(profile, edge->to)->context;
    bool is_new = work->thread_columns[edge->thread] >= work->old_count;
    sides[out_profile_callable(profile, out_profile_context(profile, context)->callable)->function] |=
        is_new ? OUT_MATCH_NEW : OUT_MATCH_OLD;
  }
  return sides;
}

/* What rows are made of, for all files alike. */
static int prepare(struct work *work)
{
  struct out_diff *diff = work->diff;
  struct callsig_stats *stats = diff->stats;
  struct out_profile *profile = &stats->profile;
  int result = find_columns(work);
  if (result == 0)
    result = out_shown_functions(profile, stats->strip_dirs, &diff->shown);
  uint8_t *sides = result == 0 ? find_sides(work) : NULL;
  if (result == 0)
    result = sides ? out_match_functions(profile, sides, diff->shown) : -ENOMEM;
  free(sides);
  if (result == 0 && (stats->by & CALLSIG_BY_SIGNATURE || stats->filter.signature))
    result = out_signature_merge_make(profile, diff->shown, &diff->signature_merge);
  if (result == 0)
    result = out_filter_select(&stats->filter, profile, diff->shown, diff->signature_merge.row_of, &diff->selection);
  if (result == 0 && stats->by & CALLSIG_BY_SITE)
    result = out_call_places_look_up(profile);
  if (result == 0 && out_stats_compensates(stats))
    result = out_compensate(profile, stats->compensating == OUT_COMPENSATE_SAMPLED, &diff->compensation);
  return result;
}

static struct out_grouping grouping_of(const struct work *work)
{
  const struct out_diff *diff = work->diff;
  return (struct out_grouping){
      .by = diff->stats->by,
      .shown_function = diff->shown,
      .signature_merge = diff->stats->by & CALLSIG_BY_SIGNATURE ? &diff->signature_merge : NULL,
      .compensation = out_stats_compensates(diff->stats) ? &diff->compensation : NULL,
      .selected_functions = diff->selection.functions,
      .selected_contexts = diff->selection.contexts,
      .selected_threads = work->threads,
      .selected_modules = diff->selection.modules,
      .selected_signatures = diff->selection.signatures,
      .depths = diff->selection.depths,
      .deepest = diff->stats->filter.depth,
      .is_subtree = diff->stats->filter.below != NULL,
      .tick = diff->tick,
  };
}

static void select_threads(struct work *work, uint32_t column)
{
  const struct out_diff *diff = work->diff;
  for (uint32_t i = 0; i < diff->stats->profile.threads.count; i++) {
    bool selected = !diff->selection.threads || diff->selection.threads[i];
    work->threads[i] = selected && work->thread_columns[i] == column;
  }
}

static bool equal_key(const void *owner, uint32_t number, const void *key)
{
  return memcmp(&out_rows_at(owner, number)->key, key, sizeof(struct out_row_key)) == 0;
}

/* The number of a row, made when new, with its places in the table. */
static int find_row(struct work *work, const struct out_row *row, uint32_t *number)
{
  const struct out_row_key *key = &row->key;
  const uint64_t hash = out_row_key_hash(key);
  *number = out_idset_find(&work->rows.set, hash, &work->rows, key, equal_key);
  if (*number != FMT_NONE)
    return 0;
  struct out_row *added = base_vector_add(&work->rows.list, 1);
  if (!added || !base_vector_add(&work->table, work->count))
    return -ENOMEM;
  *added = *row;
  *number = work->rows.list.count - 1;
  return out_idset_add(&work->rows.set, hash, *number);
}

static struct amount *amount_at(const struct work *work, uint32_t row, uint32_t column)
{
  return (struct amount *)work->table.data + (size_t)row * work->count + column;
}

/* Of what is not known at all any part may be error. */
static double square_of(double error, uint64_t time)
{
  return isnan(error) ? (double)time * (double)time : error * error;
}

static int add_amounts(struct work *work, uint32_t column, const struct out_rows *rows,
                       const struct out_row_error *errors)
{
  for (uint32_t i = 0; i < rows->list.count; i++) {
    const struct out_row *row = out_rows_at(rows, i);
    uint32_t number;
    int result = find_row(work, row, &number);
    if (result < 0)
      return result;
    struct amount amount = {.calls = row->calls, .own = row->own, .cumulative = row->cumulative};
    if (errors) {
      amount.own_error = square_of(errors[i].drawn_own, row->own);
      amount.cumulative_error = square_of(errors[i].drawn_cumulative, row->cumulative);
    }
    *amount_at(work, number, column) = amount;
  }
  return 0;
}

static int add_column(struct work *work, uint32_t column)
{
  struct out_grouping grouping = grouping_of(work);
  struct out_rows rows;
  out_rows_init(&rows);
  select_threads(work, column);
  const struct out_profile *profile = &work->diff->stats->profile;
  int result = out_rows_build(profile, &grouping, &rows);
  const bool has_errors = result == 0 && out_row_errors_known(profile);
  struct out_row_error *errors = has_errors ? out_row_errors_make(profile, &grouping, &rows) : NULL;
  if (has_errors && !errors)
    result = -ENOMEM;
  if (result == 0)
    result = add_amounts(work, column, &rows, errors);
  free(errors);
  out_rows_free(&rows);
  return result;
}

static struct out_diff_side side_of(const struct work *work, const struct amount *amounts, bool is_new)
{
  uint32_t first = is_new ? work->old_count : 0, end = is_new ? work->count : work->old_count;
  struct amount sum = {0};
  for (uint32_t i = first; i < end; i++) {
    sum.calls += amounts[i].calls;
    sum.own += amounts[i].own;
    sum.cumulative += amounts[i].cumulative;
    sum.own_error += amounts[i].own_error;
    sum.cumulative_error += amounts[i].cumulative_error;
  }
  double count = end - first, tick = work->diff->tick;
  struct out_diff_side side = {.calls = (double)sum.calls / count,
                               .own = (double)sum.own * tick / count,
                               .cumulative = (double)sum.cumulative * tick / count,
                               .own_error = sqrt(sum.own_error) * tick / count,
                               .cumulative_error = sqrt(sum.cumulative_error) * tick / count};
  return side;
}

/* The metric of the files from `first` to `end`. How many there are: of the time per call, those that have calls, where
 * any has. What each adds to it is that by which its own time differs from what its calls take at the side's time per
 * call: the mean is the side's own time by its calls (a ratio estimator), as it is shown, however the calls vary. */
static uint32_t values_of(const struct work *work, const struct amount *amounts, uint32_t first, uint32_t end,
                          const struct out_diff_side *side, enum callsig_diff_metric metric, double *values)
{
  const double tick = work->diff->tick, calls_of_all = side->calls * (double)(end - first);
  const bool is_ratio = metric == CALLSIG_DIFF_PERCALL && side->calls > 0;
  uint32_t count = 0, with_calls = 0;
  for (uint32_t i = first; i < end; i++)
    with_calls += amounts[i].calls > 0;
  for (uint32_t i = first; i < end; i++) {
    if (is_ratio && amounts[i].calls == 0)
      continue;
    const double calls = (double)amounts[i].calls;
    const struct out_diff_side file = {
        .calls = calls, .own = (double)amounts[i].own * tick, .cumulative = (double)amounts[i].cumulative * tick};
    const double mean = out_diff_value(side, metric);
    values[count++] =
        is_ratio ? mean + (file.own - mean * calls) * with_calls / calls_of_all : out_diff_value(&file, metric);
  }
  return count;
}

/* The least variance of a side's values. A time is the difference of two readings of the clock, each rounded to a tick:
 * no sum of them varies by less than that. Nor do times vary by less than they may be off since not all calls were
 * timed; the side knows that of its mean. */
static double floor_of(double grain, const struct out_diff_side *side, enum callsig_diff_metric metric, uint32_t count)
{
  const double normal = 1.959964, error = metric_error(side, metric) / normal;
  return fmax(grain, error * error * count);
}

/* Tests one row. Of the time per call, a side with calls in one file alone does not tell what is noise. */
static void judge(const struct work *work, const struct amount *amounts, enum callsig_diff_metric metric,
                  double *values, struct out_diff_change *change)
{
  const struct out_diff *diff = work->diff;
  double calls = 0;
  for (uint32_t i = 0; i < work->count; i++)
    calls = fmax(calls, (double)amounts[i].calls);
  double grain = diff->tick * diff->tick / 6 * calls;
  if (metric == CALLSIG_DIFF_PERCALL)
    grain = calls > 0 ? grain / (calls * calls) : 0;
  const uint32_t old_count = values_of(work, amounts, 0, work->old_count, &change->old, metric, values);
  const struct out_sample old = out_sample_of(values, old_count, floor_of(grain, &change->old, metric, old_count));
  const uint32_t new_count = values_of(work, amounts, work->old_count, work->count, &change->new, metric, values);
  const struct out_sample new = out_sample_of(values, new_count, floor_of(grain, &change->new, metric, new_count));
  change->p = change->adjusted = 1;
  change->low = change->high = NAN;
  if (old_count < 2 || new_count < 2)
    return;
  struct out_welch welch = out_welch_test(&old, &new, 1 - diff->options.level);
  change->low = welch.low;
  change->high = welch.high;
  change->p = change->adjusted = welch.p;
}

/* Tests a row's number of calls, which is exact: where no run differs from the others of its side, any change is one.
 */
static void judge_calls(const struct work *work, const struct amount *amounts, double *values,
                        struct out_diff_change *change)
{
  for (uint32_t i = 0; i < work->count; i++)
    values[i] = (double)amounts[i].calls;
  struct out_sample old = out_sample_of(values, work->old_count, 0),
                    new = out_sample_of(values + work->old_count, work->count - work->old_count, 0);
  change->calls_p = out_welch_test(&old, &new, 1 - work->diff->options.level).p;
}

/* By how much the change may be off since not all calls were timed. */
static double error_of(const struct out_diff_change *change, enum callsig_diff_metric metric)
{
  return hypot(metric_error(&change->old, metric), metric_error(&change->new, metric));
}

/* Calls that are another process's leave time alone. */
static bool is_absent(const struct out_diff_side *side)
{
  return side->calls == 0 && side->cumulative == 0;
}

static enum callsig_diff_verdict verdict_of(const struct out_diff *diff, const struct out_diff_change *change,
                                            enum callsig_diff_metric metric)
{
  double amount = out_diff_amount(change, metric);
  if (fabs(amount) <= error_of(change, metric))
    amount = 0;
  const bool none = is_absent(&change->old) && is_absent(&change->new),
             is_told = !diff->judged || change->adjusted < diff->options.level,
             is_recounted =
                 change->old.calls != change->new.calls && (!diff->judged || change->calls_p < diff->options.level);
  if (none || (!is_told && !is_recounted))
    return CALLSIG_DIFF_SAME;
  if (is_absent(&change->old))
    return CALLSIG_DIFF_ADDED;
  if (is_absent(&change->new))
    return CALLSIG_DIFF_GONE;
  if (amount != 0 && is_told)
    return !diff->judged ? CALLSIG_DIFF_UNJUDGED : amount > 0 ? CALLSIG_DIFF_SLOWER : CALLSIG_DIFF_FASTER;
  return is_recounted ? CALLSIG_DIFF_CHANGED : CALLSIG_DIFF_SAME;
}

/* The probabilities of all rows, corrected together. */
static int correct(struct out_diff *diff)
{
  size_t count = diff->rows.count;
  double *p = malloc((count + 1) * sizeof *p), *adjusted = malloc((count + 1) * sizeof *adjusted);
  size_t *order = malloc((count + 1) * sizeof *order);
  int result = p && adjusted && order ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++)
    p[i] = ((struct out_diff_row *)base_vector_at(&diff->rows, i))->change.p;
  if (result == 0)
    out_holm(p, count, order, adjusted);
  for (uint32_t i = 0; i < count && result == 0; i++)
    ((struct out_diff_row *)base_vector_at(&diff->rows, i))->change.adjusted = adjusted[i];
  free(p);
  free(adjusted);
  free(order);
  return result;
}

static int add_row(struct work *work, uint32_t number, double *values)
{
  struct out_diff *diff = work->diff;
  const struct amount *amounts = amount_at(work, number, 0);
  struct out_diff_change change = {.old = side_of(work, amounts, false), .new = side_of(work, amounts, true)};
  enum callsig_diff_metric metric = diff->options.metric;
  double least = diff->options.min_time;
  if (least > 0 && out_diff_value(&change.old, metric) < least && out_diff_value(&change.new, metric) < least) {
    diff->left_out++;
    return 0;
  }
  if (diff->judged) {
    judge(work, amounts, metric, values, &change);
    judge_calls(work, amounts, values, &change);
  }
  struct out_diff_row *added = base_vector_add(&diff->rows, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_diff_row){.key = out_rows_at(&work->rows, number)->key, .change = change};
  return 0;
}

/* The whole: the sum of all rows' own time, whatever is judged of the rows. */
static void make_total(struct work *work, struct amount *sums, double *values)
{
  struct out_diff *diff = work->diff;
  for (uint32_t i = 0; i < work->rows.list.count; i++) {
    for (uint32_t k = 0; k < work->count; k++) {
      sums[k].calls += amount_at(work, i, k)->calls;
      sums[k].own += amount_at(work, i, k)->own;
      sums[k].own_error += amount_at(work, i, k)->own_error;
    }
  }
  diff->total.old = side_of(work, sums, false);
  diff->total.new = side_of(work, sums, true);
  if (diff->judged)
    judge(work, sums, CALLSIG_DIFF_TOTTIME, values, &diff->total);
  diff->total.calls_p = 1;
  diff->total.verdict = verdict_of(diff, &diff->total, CALLSIG_DIFF_TOTTIME);
}

static int make_rows(struct work *work)
{
  struct out_diff *diff = work->diff;
  double *values = calloc(work->count, sizeof *values);
  struct amount *sums = calloc(work->count, sizeof *sums);
  int result = values && sums ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < work->rows.list.count && result == 0; i++)
    result = add_row(work, i, values);
  if (result == 0 && diff->judged)
    result = correct(diff);
  for (uint32_t i = 0; i < diff->rows.count && result == 0; i++) {
    struct out_diff_row *row = base_vector_at(&diff->rows, i);
    /* Bonferroni's correction: counts are certain, or far from it. */
    row->change.calls_p = fmin(row->change.calls_p * (double)diff->rows.count, 1);
    row->change.verdict = verdict_of(diff, &row->change, diff->options.metric);
  }
  if (result == 0)
    make_total(work, sums, values);
  free(values);
  free(sums);
  return result;
}

static double finest_tick(const struct out_profile *profile)
{
  double tick = out_profile_recording(profile, 0)->tick;
  for (uint32_t i = 1; i < profile->recordings.count; i++)
    tick = fmin(tick, out_profile_recording(profile, i)->tick);
  return tick;
}

int out_diff_make(struct callsig_stats *stats, const struct out_diff_file *files, uint32_t count,
                  const struct out_diff_options *options, struct out_diff *diff)
{
  uint32_t new_count = 0;
  for (uint32_t i = 0; i < count; i++)
    new_count += files[i].is_new;
  uint32_t old_count = count - new_count;
  *diff = (struct out_diff){.stats = stats,
                            .options = *options,
                            .old_count = old_count,
                            .new_count = new_count,
                            .rows = BASE_VECTOR_OF(struct out_diff_row)};
  if (stats->by & (CALLSIG_BY_THREAD | CALLSIG_BY_PROCESS | CALLSIG_BY_RANK))
    return out_stats_fail(-EINVAL, "two runs are compared by function, signature, stage, module or site: what threads, "
                                   "processes and ranks there are is each run's own");
  struct work work = {.diff = diff, .old_count = old_count, .count = count, .files = files};
  work.table = (struct base_vector)BASE_VECTOR_OF(struct amount);
  out_rows_init(&work.rows);
  diff->tick = finest_tick(&stats->profile);
  int result = out_diff_timed_alike(&stats->profile, files, count, &diff->timed_differently);
  diff->judged = old_count > 1 && new_count > 1 && !diff->timed_differently;
  if (result == 0)
    result = prepare(&work);
  for (uint32_t i = 0; i < count && result == 0; i++)
    result = add_column(&work, i);
  if (result == 0)
    result = make_rows(&work);
  free(work.threads);
  free(work.thread_columns);
  free(work.columns);
  out_rows_free(&work.rows);
  base_vector_free(&work.table);
  if (result < 0) {
    out_diff_free(diff);
    return result == -ENOMEM ? out_stats_no_memory() : result;
  }
  return 0;
}

void out_diff_free(struct out_diff *diff)
{
  free(diff->timed_differently);
  free(diff->shown);
  out_signature_merge_free(&diff->signature_merge);
  out_compensation_free(&diff->compensation);
  out_selection_free(&diff->selection);
  base_vector_free(&diff->rows);
  *diff = (struct out_diff){0};
}
