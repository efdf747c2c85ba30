/* Finds which numbers among a function's arguments its time may follow. */
#include "output/scaling/roles.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Two arguments are proportional when no pair of values differs from the ratio by more. */
#define ALIKE 1e-9

struct search {
  const struct out_scaling_samples *samples;
  struct out_scaling_finding *finding;
  double *sorted; /* room for a value of each row */
  bool *is_known; /* by row of the finding: every candidate so far is known */
  uint32_t known, candidates;
};

static int compare_numbers(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Counts values and finds the smallest and the largest. Returns the smallest of at least 1, or NAN. */
static double survey(struct search *search, const struct out_scaling_argument *argument, struct out_scaling_role *role)
{
  uint32_t count = 0;
  double positive = NAN;
  for (uint32_t i = 0; i < search->finding->row_count; i++) {
    double value = argument->numbers[search->finding->rows[i]];
    if (!isnan(value))
      search->sorted[count++] = value;
  }
  qsort(search->sorted, count, sizeof *search->sorted, compare_numbers);
  for (uint32_t i = 0; i < count; i++) {
    role->values += i == 0 || search->sorted[i] != search->sorted[i - 1];
    if (isnan(positive) && search->sorted[i] >= 1)
      positive = search->sorted[i];
  }
  role->low = count > 0 ? search->sorted[0] : NAN;
  role->high = count > 0 ? search->sorted[count - 1] : NAN;
  return positive;
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

/* How many rows are left when `argument` has to be known as well. */
static uint32_t count_known(const struct search *search, const struct out_scaling_argument *argument)
{
  uint32_t known = 0;
  for (uint32_t i = 0; i < search->finding->row_count; i++)
    known += search->is_known[i] && !isnan(argument->numbers[search->finding->rows[i]]);
  return known;
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
  uint32_t known = count_known(search, argument);
  struct out_scaling_role *role = &finding->roles[number];
  if (known < OUT_SCALING_VALUES || known < search->known / 2) {
    role->use = OUT_USE_MISSING;
    return;
  }
  if (find_alike(search, argument, role))
    return;
  if (search->candidates == OUT_LAW_CANDIDATES) {
    role->use = OUT_USE_TOO_MANY;
    return;
  }
  for (uint32_t i = 0; i < finding->row_count; i++)
    search->is_known[i] = search->is_known[i] && !isnan(argument->numbers[finding->rows[i]]);
  search->known = known;
  role->candidate = search->candidates;
  finding->names[search->candidates] = argument->name;
  finding->candidates[search->candidates++] = number;
}

static void search_arguments(struct search *search)
{
  for (uint32_t i = 0; i < search->samples->arguments.count; i++) {
    const struct out_scaling_argument *argument = out_scaling_argument(search->samples, i);
    struct out_scaling_role *role = &search->finding->roles[i];
    role->use = OUT_USE_TEXT;
    if (argument->is_number)
      role->use = use_of(argument, role, survey(search, argument, role));
    if (role->use == OUT_USE_CANDIDATE)
      add_candidate(search, i);
  }
}

int out_scaling_roles(struct out_scaling_analysis *analysis, struct out_scaling_finding *finding)
{
  struct base_arena *arena = &analysis->arena;
  finding->roles = base_arena_alloc(arena, (analysis->samples->arguments.count + 1u) * sizeof *finding->roles);
  finding->names = base_arena_alloc(arena, OUT_LAW_CANDIDATES * sizeof *finding->names);
  finding->candidates = base_arena_alloc(arena, OUT_LAW_CANDIDATES * sizeof *finding->candidates);
  struct search search = {
      .samples = analysis->samples,
      .finding = finding,
      .sorted = calloc(finding->row_count + 1u, sizeof *search.sorted),
      .is_known = malloc((finding->row_count + 1u) * sizeof *search.is_known),
      .known = finding->row_count,
  };
  bool has_room = finding->roles && finding->names && finding->candidates && search.sorted && search.is_known;
  for (uint32_t i = 0; has_room && i < finding->row_count; i++)
    search.is_known[i] = true;
  if (has_room)
    search_arguments(&search);
  finding->points.candidates = search.candidates;
  finding->unknown = finding->row_count - (has_room ? search.known : 0);
  free(search.sorted);
  free(search.is_known);
  return has_room ? 0 : -ENOMEM;
}
