/* Finds the laws of one function: its arguments, the parts of its calls, and what each follows. */
#include "output/scaling/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/scaling/doubt.h"
#include "output/scaling/roles.h"
#include "output/scaling/shortest.h"
#include "output/scaling/steps.h"
#include "output/scaling/strays.h"

/* A law that deviates by more is looked for again among the calls that have the same other arguments. */
#define SPLIT 0.10
/* A time that may be off by more of itself tells nothing of a law. */
#define UNCERTAIN 0.5

enum out_scaling_waits out_scaling_waits(const struct out_profile *profile)
{
  enum out_scaling_waits waits = OUT_WAITS_NONE;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    const enum out_scaling_waits here = info->clock > FMT_CLOCK_MONOTONIC   ? OUT_WAITS_NONE
                                        : info->flags & FMT_REC_WAITS_TAKEN ? OUT_WAITS_TAKEN_OUT
                                                                            : OUT_WAITS_COUNT;
    if (here > waits)
      waits = here;
  }
  return waits;
}

/* The longest call is the one that something else on the machine made long, if any was. Calls inside calls of the same
 * signature are part of others: the longest is then not one of the primitive ones for sure. */
static double trimmed_mean(const struct out_scaling_row *row)
{
  if (row->calls < OUT_SCALING_TRIMMED || row->calls != row->primitive || !(row->cumulative > row->max))
    return row->cumulative / (double)row->primitive;
  return (row->cumulative - row->max) / (double)(row->calls - 1);
}

double out_scaling_time(const struct out_scaling_measure *measure, const struct out_scaling_row *row)
{
  if (measure->statistic == OUT_STATISTIC_MINIMUM)
    return row->min;
  if (measure->own)
    return row->calls > 0 ? row->own / (double)row->calls : 0;
  if (row->primitive == 0)
    return 0;
  return measure->statistic == OUT_STATISTIC_TRIMMED ? trimmed_mean(row) : row->cumulative / (double)row->primitive;
}

/* The calls that a row's time is the mean of: a single one counts half of many, as it is the one that a cold cache or
 * an interruption spoils. */
static double counted_calls(const struct out_scaling_measure *measure, const struct out_scaling_row *row)
{
  bool all = measure->own || measure->statistic == OUT_STATISTIC_MINIMUM;
  return (double)(all ? row->calls : row->primitive);
}

/* How far the row's time may be off, as a part of it: not known is wholly. Where the shortest call stands for all, it
 * is one that was timed. */
static double uncertainty_of(const struct out_scaling_measure *measure, const struct out_scaling_row *row)
{
  if (measure->statistic == OUT_STATISTIC_MINIMUM)
    return 0;
  double time = measure->own ? row->own : row->cumulative;
  double error = measure->own ? row->own_error : row->cumulative_error;
  return isnan(error) ? INFINITY : error > 0 ? error / time : 0;
}

/* A row that is off by so much counts half. */
static double certainty_of(double uncertainty)
{
  const double half = 0.05;
  return 1 / (1 + uncertainty / half * (uncertainty / half));
}

/* True when every candidate of the row is known; writes their values. */
static bool read_values(const struct out_scaling_analysis *analysis, const struct out_scaling_finding *finding,
                        uint32_t row, double *values)
{
  for (uint32_t i = 0; i < finding->points.candidates; i++) {
    values[i] = out_scaling_argument(analysis->samples, finding->candidates[i])->numbers[row];
    if (isnan(values[i]))
      return false;
  }
  return true;
}

/* Finds the rows whose time a law may be of, and counts the others. Returns how many there are. */
static uint32_t find_timed(const struct out_scaling_analysis *analysis, struct out_scaling_finding *finding,
                           bool *is_timed)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct out_scaling_row *row = &analysis->samples->rows[finding->rows[i]];
    const double time = out_scaling_time(&analysis->measure, row);
    const bool has_time = isnormal(time) && time > 0;
    const bool is_unsure = has_time && uncertainty_of(&analysis->measure, row) > UNCERTAIN;
    finding->zero += !has_time;
    finding->uncertain += is_unsure;
    is_timed[i] = has_time && !is_unsure;
    count += is_timed[i];
  }
  return count;
}

/* A point for each row that is asked and whose candidates are known. Weights are not yet of mean 1. */
static uint32_t read_points(const struct out_scaling_analysis *analysis, struct out_scaling_finding *finding,
                            const bool *asked, double *values, double *times, double *weights, double *counted,
                            double *shortest)
{
  const struct out_scaling_measure *measure = &analysis->measure;
  /* No call's time is known better. */
  const double unsure = measure->clock.step / 2;
  uint32_t count = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct out_scaling_row *row = &analysis->samples->rows[finding->rows[i]];
    if (!asked[i] ||
        !read_values(analysis, finding, finding->rows[i], values + (size_t)count * finding->points.candidates))
      continue;
    const double time = out_scaling_time(measure, row), calls = counted_calls(measure, row);
    finding->bound += row->is_bound && !measure->own && measure->statistic != OUT_STATISTIC_MINIMUM;
    times[count] = time;
    counted[count] = calls;
    shortest[count] = row->min;
    weights[count++] = calls / (calls + 1) * certainty_of(fmax(uncertainty_of(measure, row), unsure / time));
  }
  return count;
}

static int make_points(struct out_scaling_analysis *analysis, struct out_scaling_finding *finding, const bool *asked)
{
  uint32_t candidates = finding->points.candidates;
  size_t rows = finding->row_count + 1u;
  double *values = base_arena_alloc(&analysis->arena, rows * candidates * sizeof *values);
  double *times = base_arena_alloc(&analysis->arena, rows * sizeof *times);
  double *weights = base_arena_alloc(&analysis->arena, rows * sizeof *weights);
  double *calls = base_arena_alloc(&analysis->arena, rows * sizeof *calls);
  double *shortest = base_arena_alloc(&analysis->arena, rows * sizeof *shortest);
  if (!values || !times || !weights || !calls || !shortest)
    return -ENOMEM;
  uint32_t count = read_points(analysis, finding, asked, values, times, weights, calls, shortest);
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += weights[i];
  for (uint32_t i = 0; i < count; i++)
    weights[i] *= count / sum;
  finding->points = (struct out_points){
      .count = count, .candidates = candidates, .values = values, .times = times, .weights = weights};
  finding->calls = calls;
  finding->near = analysis->measure.clock.near;
  bool is_trimmed = !analysis->measure.own && analysis->measure.statistic == OUT_STATISTIC_TRIMMED;
  finding->shortest = is_trimmed ? shortest : NULL;
  return 0;
}

static bool has_number(const struct out_scaling_samples *samples)
{
  for (uint32_t i = 0; i < samples->arguments.count; i++)
    if (out_scaling_argument(samples, i)->is_number)
      return true;
  return false;
}

/* Finds the arguments that a law may be of, and the points. Where too few calls have a time, arguments are told of as
 * all calls have them, and there are no points. */
static int find_points(struct out_scaling_analysis *analysis, struct out_scaling_finding *finding)
{
  bool *asked = malloc((finding->row_count + 1u) * sizeof *asked);
  if (!asked)
    return -ENOMEM;
  const uint32_t timed = find_timed(analysis, finding, asked);
  const bool is_short = finding->zero > timed;
  const bool has_enough = timed >= OUT_SCALING_VALUES && !is_short;
  for (uint32_t i = 0; i < finding->row_count && !has_enough; i++)
    asked[i] = true;
  int result = out_scaling_roles(analysis, finding, asked);
  finding->kind = has_number(analysis->samples) ? OUT_SCALING_FEW : OUT_SCALING_NO_NUMBER;
  if (result == 0 && finding->points.candidates > 0 && has_enough)
    result = make_points(analysis, finding, asked);
  else if (finding->points.candidates > 0)
    finding->points.count = timed;
  if (finding->points.candidates > 0 && is_short)
    finding->kind = OUT_SCALING_SHORT;
  /* Then no row is left out: what is said is of all. */
  if (finding->points.candidates == 0 && !has_enough)
    finding->zero = finding->uncertain = 0;
  free(asked);
  return result;
}

/* Finds what the finding's rows say. */
static int find(struct out_scaling_analysis *analysis, struct out_scaling_finding *finding)
{
  const enum out_scaling_waits waits = out_scaling_waits(analysis->profile);
  int result = find_points(analysis, finding);
  if (result < 0 || finding->points.candidates == 0 || !finding->points.times)
    return result;
  result = out_choose(&finding->points, &finding->verdict);
  finding->kind = (enum out_scaling_kind)finding->verdict.kind;
  if (result < 0)
    return result;
  if (finding->kind == OUT_SCALING_LAW)
    result = out_scaling_doubt(analysis->samples, finding);
  if (result == 0)
    result = out_scaling_ask_shortest(analysis->samples, waits, finding);
  if (result == 0)
    result = out_scaling_leave_strays(analysis->samples, waits, &analysis->arena, finding);
  if (result == 0)
    result = out_scaling_ask_steps(waits, finding);
  if (result == 0)
    result = out_scaling_settle_roles(finding);
  if (finding->kind == OUT_SCALING_NONE)
    finding->verdict.rivals.count = 0;
  return result;
}

/* What a row's calls have in common with those of others: its arguments that are no candidates and vary. */
static int describe(struct out_scaling_analysis *analysis, const struct out_scaling_role *roles, uint32_t row,
                    struct out_text *text)
{
  out_text_clear(text);
  for (uint32_t i = 0; i < analysis->samples->arguments.count; i++) {
    const struct out_scaling_argument *argument = out_scaling_argument(analysis->samples, i);
    if (roles[i].use != OUT_USE_TEXT && roles[i].use != OUT_USE_FEW && roles[i].use != OUT_USE_NARROW)
      continue;
    if (text->length > 0)
      out_text_puts(text, ", ");
    out_text_printf(text, "%s=", argument->name);
    if (!argument->is_number)
      out_text_puts(text, argument->texts[row] ? out_profile_string(analysis->profile, argument->texts[row]) : "?");
    else if (isnan(argument->numbers[row]))
      out_text_putc(text, '?');
    else
      out_text_printf(text, "%.15g", argument->numbers[row]);
  }
  return text->failed ? -ENOMEM : 0;
}

struct described {
  const char *where;
  uint32_t row;
};

static int compare_described(const void *left, const void *right)
{
  const struct described *a = left, *b = right;
  int order = strcmp(a->where, b->where);
  return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* The rows of `whole` sorted by what they have in common. NULL: -ENOMEM. */
static struct described *describe_all(struct out_scaling_analysis *analysis, const struct out_scaling_finding *whole)
{
  struct out_text text = {0};
  struct described *list = calloc(whole->row_count + 1u, sizeof *list);
  bool failed = !list;
  for (uint32_t i = 0; !failed && i < whole->row_count; i++) {
    failed = describe(analysis, whole->roles, whole->rows[i], &text) < 0;
    list[i].row = whole->rows[i];
    if (!failed)
      list[i].where = base_arena_copy(&analysis->arena, out_text_string(&text), text.length);
    failed |= !list[i].where;
  }
  out_text_free(&text);
  if (failed) {
    free(list);
    return NULL;
  }
  qsort(list, whole->row_count, sizeof *list, compare_described);
  return list;
}

static int add_part(struct out_scaling_analysis *analysis, const struct described *list, uint32_t count)
{
  struct out_scaling_finding part = {.where = list[0].where, .row_count = count};
  part.rows = base_arena_alloc(&analysis->arena, count * sizeof *part.rows);
  if (!part.rows)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    part.rows[i] = list[i].row;
  int result = find(analysis, &part);
  struct out_scaling_finding *added = result == 0 ? base_vector_add(&analysis->findings, 1) : NULL;
  if (added)
    *added = part;
  else
    out_choice_free(&part.verdict);
  return added ? 0 : -ENOMEM;
}

static bool has_verdict(const struct out_scaling_finding *finding)
{
  return finding->kind == OUT_SCALING_LAW || finding->kind == OUT_SCALING_CONSTANT;
}

/* True when the parts say more than the whole: most of the rows have a law there, and deviate from it half as much. */
static bool is_better(const struct out_scaling_analysis *analysis, const struct out_scaling_finding *whole)
{
  double rows = 0, squares = 0;
  for (uint32_t i = 1; i < analysis->findings.count; i++) {
    const struct out_scaling_finding *part = base_vector_at(&analysis->findings, i);
    if (!has_verdict(part))
      continue;
    rows += part->row_count;
    squares += part->row_count * part->verdict.fit.deviation * part->verdict.fit.deviation;
  }
  return rows >= whole->row_count / 2.0 && sqrt(squares / rows) < whole->verdict.fit.deviation / 2;
}

static void drop(struct out_scaling_analysis *analysis, uint32_t from, uint32_t to)
{
  for (uint32_t i = from; i < to; i++)
    out_choice_free(&((struct out_scaling_finding *)base_vector_at(&analysis->findings, i))->verdict);
}

/* Looks for laws of the calls that agree in their other arguments. The whole stays the first finding, or gives way. */
static int split(struct out_scaling_analysis *analysis)
{
  struct out_scaling_finding whole = *(struct out_scaling_finding *)base_vector_at(&analysis->findings, 0);
  struct described *list = describe_all(analysis, &whole);
  if (!list)
    return -ENOMEM;
  int result = 0;
  uint32_t first = 0;
  for (uint32_t i = 1; i <= whole.row_count && result == 0; i++) {
    if (i < whole.row_count && strcmp(list[i].where, list[first].where) == 0)
      continue;
    if (first > 0 || i < whole.row_count)
      result = add_part(analysis, list + first, i - first);
    first = i;
  }
  free(list);
  if (result < 0)
    return result;
  uint32_t count = analysis->findings.count;
  if (count > 1 && is_better(analysis, &whole)) {
    drop(analysis, 0, 1);
    memmove(analysis->findings.data, base_vector_at(&analysis->findings, 1), (count - 1) * sizeof whole);
    analysis->findings.count = count - 1;
  } else {
    drop(analysis, 1, count);
    analysis->findings.count = 1;
  }
  return 0;
}

int out_scaling_analyse(const struct out_profile *profile, const struct out_scaling_samples *samples,
                        const struct out_scaling_measure *measure, struct out_scaling_analysis *analysis)
{
  *analysis = (struct out_scaling_analysis){.profile = profile,
                                            .samples = samples,
                                            .measure = *measure,
                                            .findings = BASE_VECTOR_OF(struct out_scaling_finding)};
  struct out_scaling_finding *whole = base_vector_add(&analysis->findings, 1);
  if (!whole)
    return -ENOMEM;
  whole->row_count = samples->row_count;
  whole->rows = base_arena_alloc(&analysis->arena, (samples->row_count + 1u) * sizeof *whole->rows);
  if (!whole->rows)
    return -ENOMEM;
  for (uint32_t i = 0; i < samples->row_count; i++)
    whole->rows[i] = i;
  int result = find(analysis, whole);
  bool is_poor = whole->kind == OUT_SCALING_NONE || (has_verdict(whole) && whole->verdict.fit.deviation > SPLIT);
  return result == 0 && is_poor ? split(analysis) : result;
}

void out_scaling_analysis_free(struct out_scaling_analysis *analysis)
{
  drop(analysis, 0, analysis->findings.count);
  base_vector_free(&analysis->findings);
  base_arena_free(&analysis->arena);
}
