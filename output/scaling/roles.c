/* Finds which numbers among a function's arguments its time may follow. */
#include "output/scaling/roles.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two arguments are proportional when no pair of values differs from the ratio by more. */
#define ALIKE 1e-9

struct search {
  const struct out_scaling_samples *samples;
  struct out_scaling_finding *finding;
  double *sorted; /* room for a value of each row */
  bool *is_known; /* by row of the finding: it is asked, and every candidate so far is known */
  bool *is_left;  /* the same with one candidate more */
  uint32_t known, candidates;
};

static int compare_numbers(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Puts numbers in order, counts different ones, and notes the smallest and the largest. */
static void sum_up(double *numbers, uint32_t count, struct out_scaling_role *role)
{
  qsort(numbers, count, sizeof *numbers, compare_numbers);
  role->values = 0;
  for (uint32_t i = 0; i < count; i++)
    role->values += i == 0 || numbers[i] != numbers[i - 1];
  role->low = count > 0 ? numbers[0] : NAN;
  role->high = count > 0 ? numbers[count - 1] : NAN;
}

/* Notes the argument's values in the rows. Returns the smallest of at least 1, or NAN. */
static double survey(struct search *search, const struct out_scaling_argument *argument, const bool *among,
                     struct out_scaling_role *role)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < search->finding->row_count; i++) {
    double value = argument->numbers[search->finding->rows[i]];
    if (among[i] && !isnan(value))
      search->sorted[count++] = value;
  }
  sum_up(search->sorted, count, role);
  for (uint32_t i = 0; i < count; i++)
    if (search->sorted[i] >= 1)
      return search->sorted[i];
  return NAN;
}

static enum out_scaling_use use_of(const struct out_scaling_argument *argument, const struct out_scaling_role *role,
                                   double positive)
{
  if (role->values == 0)
    return argument->is_widened ? OUT_USE_WIDENED : OUT_USE_MISSING;
  if (role->low < 0)
    return OUT_USE_NEGATIVE;
  if (role->values == 1)
    return OUT_USE_CONSTANT;
  if (role->values < OUT_SCALING_VALUES)
    return OUT_USE_FEW;
  return role->high >= OUT_SCALING_SPAN * positive ? OUT_USE_CANDIDATE : OUT_USE_NARROW;
}

/* Finds the rows that are left when `argument` has to be known as well, and counts them. */
static uint32_t find_left(struct search *search, const struct out_scaling_argument *argument)
{
  uint32_t left = 0;
  for (uint32_t i = 0; i < search->finding->row_count; i++) {
    search->is_left[i] = search->is_known[i] && !isnan(argument->numbers[search->finding->rows[i]]);
    left += search->is_left[i];
  }
  return left;
}

/* Would the argument be a candidate among the rows that are left? */
static bool stays(struct search *search, uint32_t number)
{
  const struct out_scaling_argument *argument = out_scaling_argument(search->samples, number);
  struct out_scaling_role role;
  const double positive = survey(search, argument, search->is_left, &role);
  return use_of(argument, &role, positive) == OUT_USE_CANDIDATE;
}

/* True when the argument, and all candidates before it, have values enough in the rows that are left. */
static bool all_stay(struct search *search, uint32_t number)
{
  bool stay = stays(search, number);
  for (uint32_t i = 0; i < search->candidates && stay; i++)
    stay = stays(search, search->finding->candidates[i]);
  return stay;
}

/* True when `argument` is a multiple of `candidate` in every row that both are known in. */
static bool is_alike(const struct search *search, const struct out_scaling_argument *argument,
                     const struct out_scaling_argument *candidate, double *ratio)
{
  *ratio = NAN;
  for (uint32_t i = 0; i < search->finding->row_count; i++) {
    uint32_t row = search->finding->rows[i];
    double value = argument->numbers[row], other = candidate->numbers[row];
    if (isnan(value) || isnan(other) || (value == 0 && other == 0))
      continue;
    if (other == 0)
      return false;
    if (isnan(*ratio))
      *ratio = value / other;
    if (fabs(value / other - *ratio) > ALIKE * *ratio)
      return false;
  }
  return !isnan(*ratio);
}

static bool find_alike(const struct search *search, const struct out_scaling_argument *argument,
                       struct out_scaling_role *role)
{
  for (uint32_t i = 0; i < search->candidates; i++) {
    const struct out_scaling_argument *candidate =
        out_scaling_argument(search->samples, search->finding->candidates[i]);
    if (!is_alike(search, argument, candidate, &role->ratio))
      continue;
    role->use = OUT_USE_ALIKE;
    role->candidate = i;
    return true;
  }
  return false;
}

static void add_candidate(struct search *search, uint32_t number)
{
  struct out_scaling_finding *finding = search->finding;
  const struct out_scaling_argument *argument = out_scaling_argument(search->samples, number);
  const uint32_t left = find_left(search, argument);
  struct out_scaling_role *role = &finding->roles[number];
  if (left < OUT_SCALING_VALUES || left < search->known / 2) {
    role->use = OUT_USE_MISSING;
    return;
  }
  if (find_alike(search, argument, role))
    return;
  if (search->candidates == OUT_LAW_CANDIDATES) {
    role->use = OUT_USE_TOO_MANY;
    return;
  }
  if (!all_stay(search, number)) {
    role->use = OUT_USE_MISSING;
    return;
  }
  memcpy(search->is_known, search->is_left, finding->row_count * sizeof *search->is_known);
  search->known = left;
  role->candidate = search->candidates;
  finding->names[search->candidates] = argument->name;
  finding->candidates[search->candidates++] = number;
}

static void search_arguments(struct search *search, const bool *asked)
{
  for (uint32_t i = 0; i < search->samples->arguments.count; i++) {
    const struct out_scaling_argument *argument = out_scaling_argument(search->samples, i);
    struct out_scaling_role *role = &search->finding->roles[i];
    role->use = OUT_USE_TEXT;
    if (argument->is_number)
      role->use = use_of(argument, role, survey(search, argument, asked, role));
    if (role->use == OUT_USE_CANDIDATE)
      add_candidate(search, i);
  }
}

int out_scaling_roles(struct out_scaling_analysis *analysis, struct out_scaling_finding *finding, const bool *asked)
{
  struct base_arena *arena = &analysis->arena;
  const uint32_t rows = finding->row_count;
  finding->roles = base_arena_alloc(arena, (analysis->samples->arguments.count + 1u) * sizeof *finding->roles);
  finding->names = base_arena_alloc(arena, OUT_LAW_CANDIDATES * sizeof *finding->names);
  finding->candidates = base_arena_alloc(arena, OUT_LAW_CANDIDATES * sizeof *finding->candidates);
  struct search search = {
      .samples = analysis->samples,
      .finding = finding,
      .sorted = calloc(rows + 1u, sizeof *search.sorted),
      .is_known = malloc((rows + 1u) * sizeof *search.is_known),
      .is_left = malloc((rows + 1u) * sizeof *search.is_left),
  };
  const bool has_room =
      finding->roles && finding->names && finding->candidates && search.sorted && search.is_known && search.is_left;
  uint32_t all = 0;
  for (uint32_t i = 0; has_room && i < rows; i++)
    all += search.is_known[i] = asked[i];
  search.known = all;
  if (has_room)
    search_arguments(&search, asked);
  finding->points.candidates = search.candidates;
  finding->unknown = all - search.known;
  free(search.sorted);
  free(search.is_known);
  free(search.is_left);
  return has_room ? 0 : -ENOMEM;
}

int out_scaling_settle_roles(struct out_scaling_finding *finding)
{
  const struct out_points *points = &finding->points;
  double *numbers = calloc(points->count + 1u, sizeof *numbers);
  for (uint32_t c = 0; numbers && c < points->candidates; c++) {
    for (uint32_t i = 0; i < points->count; i++)
      numbers[i] = points->values[(size_t)i * points->candidates + c];
    sum_up(numbers, points->count, &finding->roles[finding->candidates[c]]);
  }
  const bool has_room = numbers != NULL;
  free(numbers);
  return has_room ? 0 : -ENOMEM;
}
