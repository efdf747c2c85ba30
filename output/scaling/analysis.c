#include "analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roles.h"

/* A law that deviates by more is looked for again among the calls that have the same other arguments. */
#define SPLIT 0.10

double cs_scaling_time(const struct cs_scaling_measure *measure, const struct cs_scaling_row *row)
{
  if (measure->minimum)
    return row->min;
  if (measure->own)
    return row->calls > 0 ? row->own / (double)row->calls : 0;
  return row->primitive > 0 ? row->cumulative / (double)row->primitive : 0;
}

/* The calls of all rows that have the same values of all candidates. */
struct point {
  double values[CS_LAW_CANDIDATES];
  double time, minimum, calls; /* sums of both, and the smallest */
};

static int compare_points(const void *left, const void *right)
{
  const struct point *a = left, *b = right;
  for (uint32_t i = 0; i < CS_LAW_CANDIDATES; i++)
    if (a->values[i] != b->values[i])
      return a->values[i] < b->values[i] ? -1 : 1;
  return 0;
}

static double counted_calls(const struct cs_scaling_measure *measure, const struct cs_scaling_row *row)
{
  return (double)(measure->own || measure->minimum ? row->calls : row->primitive);
}

/* The rows that every candidate is known of, and that have a time. Returns how many. */
static uint32_t read_points(const struct cs_scaling_analysis *analysis, struct cs_scaling_finding *finding,
                            struct point *points)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct cs_scaling_row *row = &analysis->table->rows[finding->rows[i]];
    struct point point = {{0}};
    bool is_known = true;
    for (uint32_t c = 0; c < finding->points.candidates; c++) {
      point.values[c] = cs_scaling_argument(analysis->table, finding->candidates[c])->numbers[finding->rows[i]];
      is_known &= !isnan(point.values[c]);
    }
    if (!is_known)
      continue;
    double time = cs_scaling_time(&analysis->measure, row);
    finding->zero += !(time > 0);
    if (!(time > 0))
      continue;
    finding->bound += row->is_bound && !analysis->measure.own && !analysis->measure.minimum;
    point.calls = counted_calls(&analysis->measure, row);
    point.time = time * point.calls;
    point.minimum = time;
    points[count++] = point;
  }
  return count;
}

/* Points with equal values become one. Returns how many are left. */
static uint32_t merge_points(struct point *points, uint32_t count)
{
  uint32_t left = 0;
  qsort(points, count, sizeof *points, compare_points);
  for (uint32_t i = 0; i < count; i++) {
    if (left > 0 && compare_points(&points[left - 1], &points[i]) == 0) {
      points[left - 1].time += points[i].time;
      points[left - 1].calls += points[i].calls;
      points[left - 1].minimum = fmin(points[left - 1].minimum, points[i].minimum);
    } else {
      points[left++] = points[i];
    }
  }
  return left;
}

/* A single call counts half of a point of many: it is the one that a cold cache or an interruption spoils. */
static int fill_points(struct cs_scaling_analysis *analysis, struct cs_scaling_finding *finding,
                       const struct point *points, uint32_t count)
{
  uint32_t candidates = finding->points.candidates;
  double *values = cs_arena_alloc(&analysis->arena, (count + 1u) * candidates * sizeof *values);
  double *times = cs_arena_alloc(&analysis->arena, (count + 1u) * sizeof *times);
  double *weights = cs_arena_alloc(&analysis->arena, (count + 1u) * sizeof *weights);
  double sum = 0;
  if (!values || !times || !weights)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++) {
    memcpy(values + (size_t)i * candidates, points[i].values, candidates * sizeof *values);
    times[i] = analysis->measure.minimum ? points[i].minimum : points[i].time / points[i].calls;
    weights[i] = points[i].calls / (points[i].calls + 1);
    sum += weights[i];
  }
  for (uint32_t i = 0; i < count; i++)
    weights[i] *= count / sum;
  finding->points = (struct cs_points){
      .count = count, .candidates = candidates, .values = values, .times = times, .weights = weights};
  return 0;
}

static int make_points(struct cs_scaling_analysis *analysis, struct cs_scaling_finding *finding)
{
  struct point *points = calloc(finding->row_count + 1u, sizeof *points);
  if (!points)
    return -ENOMEM;
  uint32_t count = merge_points(points, read_points(analysis, finding, points));
  int result = fill_points(analysis, finding, points, count);
  free(points);
  return result;
}

static bool has_number(const struct cs_scaling_table *table)
{
  for (uint32_t i = 0; i < table->arguments.count; i++)
    if (cs_scaling_argument(table, i)->is_number)
      return true;
  return false;
}

/* Finds what the finding's rows say. */
static int find(struct cs_scaling_analysis *analysis, struct cs_scaling_finding *finding)
{
  int result = cs_scaling_roles(analysis, finding);
  if (result < 0)
    return result;
  finding->kind = has_number(analysis->table) ? CS_SCALING_FEW : CS_SCALING_NO_NUMBER;
  if (finding->points.candidates == 0)
    return 0;
  result = make_points(analysis, finding);
  if (result < 0)
    return result;
  if (finding->zero > finding->points.count)
    finding->kind = CS_SCALING_SHORT;
  if (finding->points.count < CS_SCALING_VALUES || finding->kind == CS_SCALING_SHORT)
    return 0;
  result = cs_choose(&finding->points, &finding->verdict);
  finding->kind = (enum cs_scaling_kind)finding->verdict.kind;
  return result;
}

/* What a row's calls have in common with those of others: its arguments that are no candidates and vary. */
static int describe(struct cs_scaling_analysis *analysis, const struct cs_scaling_role *roles, uint32_t row,
                    struct cs_text *text)
{
  cs_text_clear(text);
  for (uint32_t i = 0; i < analysis->table->arguments.count; i++) {
    const struct cs_scaling_argument *argument = cs_scaling_argument(analysis->table, i);
    if (roles[i].use != CS_USE_TEXT && roles[i].use != CS_USE_FEW && roles[i].use != CS_USE_NARROW)
      continue;
    if (text->length > 0)
      cs_text_puts(text, ", ");
    cs_text_printf(text, "%s=", argument->name);
    if (!argument->is_number)
      cs_text_puts(text, argument->texts[row] ? cs_profile_string(analysis->profile, argument->texts[row]) : "?");
    else if (isnan(argument->numbers[row]))
      cs_text_putc(text, '?');
    else
      cs_text_printf(text, "%.15g", argument->numbers[row]);
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
static struct described *describe_all(struct cs_scaling_analysis *analysis, const struct cs_scaling_finding *whole)
{
  struct cs_text text = {0};
  struct described *list = calloc(whole->row_count + 1u, sizeof *list);
  bool failed = !list;
  for (uint32_t i = 0; !failed && i < whole->row_count; i++) {
    failed = describe(analysis, whole->roles, whole->rows[i], &text) < 0;
    list[i].row = whole->rows[i];
    if (!failed)
      list[i].where = cs_arena_copy(&analysis->arena, cs_text_string(&text), text.length);
    failed |= !list[i].where;
  }
  cs_text_free(&text);
  if (failed) {
    free(list);
    return NULL;
  }
  qsort(list, whole->row_count, sizeof *list, compare_described);
  return list;
}

static int add_part(struct cs_scaling_analysis *analysis, const struct described *list, uint32_t count)
{
  struct cs_scaling_finding part = {.where = list[0].where, .row_count = count};
  part.rows = cs_arena_alloc(&analysis->arena, count * sizeof *part.rows);
  if (!part.rows)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    part.rows[i] = list[i].row;
  int result = find(analysis, &part);
  struct cs_scaling_finding *added = result == 0 ? cs_vector_add(&analysis->findings, 1) : NULL;
  if (added)
    *added = part;
  else
    cs_verdict_free(&part.verdict);
  return added ? 0 : -ENOMEM;
}

static bool has_verdict(const struct cs_scaling_finding *finding)
{
  return finding->kind == CS_SCALING_LAW || finding->kind == CS_SCALING_CONSTANT;
}

/* True when the parts say more than the whole: most of the rows have a law there, and deviate from it half as much. */
static bool is_better(const struct cs_scaling_analysis *analysis, const struct cs_scaling_finding *whole)
{
  double rows = 0, squares = 0;
  for (uint32_t i = 1; i < analysis->findings.count; i++) {
    const struct cs_scaling_finding *part = cs_vector_at(&analysis->findings, i);
    if (!has_verdict(part))
      continue;
    rows += part->row_count;
    squares += part->row_count * part->verdict.fit.deviation * part->verdict.fit.deviation;
  }
  return rows >= whole->row_count / 2.0 && sqrt(squares / rows) < whole->verdict.fit.deviation / 2;
}

static void drop(struct cs_scaling_analysis *analysis, uint32_t from, uint32_t to)
{
  for (uint32_t i = from; i < to; i++)
    cs_verdict_free(&((struct cs_scaling_finding *)cs_vector_at(&analysis->findings, i))->verdict);
}

/* Looks for laws of the calls that agree in their other arguments. The whole stays the first finding, or gives way. */
static int split(struct cs_scaling_analysis *analysis)
{
  struct cs_scaling_finding whole = *(struct cs_scaling_finding *)cs_vector_at(&analysis->findings, 0);
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
    memmove(analysis->findings.data, cs_vector_at(&analysis->findings, 1), (count - 1) * sizeof whole);
    analysis->findings.count = count - 1;
  } else {
    drop(analysis, 1, count);
    analysis->findings.count = 1;
  }
  return 0;
}

int cs_scaling_analyse(const struct cs_profile *profile, const struct cs_scaling_table *table,
                       const struct cs_scaling_measure *measure, struct cs_scaling_analysis *analysis)
{
  *analysis = (struct cs_scaling_analysis){.profile = profile,
                                           .table = table,
                                           .measure = *measure,
                                           .findings = CS_VECTOR_OF(struct cs_scaling_finding)};
  struct cs_scaling_finding *whole = cs_vector_add(&analysis->findings, 1);
  if (!whole)
    return -ENOMEM;
  whole->row_count = table->row_count;
  whole->rows = cs_arena_alloc(&analysis->arena, (table->row_count + 1u) * sizeof *whole->rows);
  if (!whole->rows)
    return -ENOMEM;
  for (uint32_t i = 0; i < table->row_count; i++)
    whole->rows[i] = i;
  int result = find(analysis, whole);
  bool is_poor = whole->kind == CS_SCALING_NONE || (has_verdict(whole) && whole->verdict.fit.deviation > SPLIT);
  return result == 0 && is_poor ? split(analysis) : result;
}

void cs_scaling_analysis_free(struct cs_scaling_analysis *analysis)
{
  drop(analysis, 0, analysis->findings.count);
  cs_vector_free(&analysis->findings);
  cs_arena_free(&analysis->arena);
}
