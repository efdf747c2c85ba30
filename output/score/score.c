/* Scores functions: their cost, the rows that they are in, and what leaving them out is worth. */
#include "output/score/score.h"

#include <errno.h>
#include <stdlib.h>

/* Rows by signature of each function. */
struct row_counts {
  uint32_t *rows, *signatures; /* by function */
};

static int prepare_by(struct callsig_stats *stats, unsigned by, bool *told)
{
  if (stats->by != by) {
    out_stats_forget(stats);
    stats->by = by;
  }
  int result = out_stats_prepare(stats);
  *told = result < 0;
  return result;
}

static bool shows_arguments(const struct out_profile *profile, const struct out_signature *signature)
{
  if (signature->text)
    return true;
  const struct fmt_index_function *entry = out_profile_layout(profile, signature->layout)->entry;
  return !signature->any && entry && entry->arg_count > 0;
}

static void count_rows(const struct callsig_stats *stats, struct row_counts *counts)
{
  const struct out_profile *profile = &stats->profile;
  for (uint32_t i = 0; i < stats->listed; i++) {
    const struct out_row *row = out_rows_at(&stats->rows, stats->order[i]);
    const struct out_signature *signature = out_profile_signature(profile, row->key.what);
    uint32_t function = stats->shown_function[out_profile_layout(profile, signature->layout)->function];
    counts->rows[function]++;
    counts->signatures[function] += shows_arguments(profile, signature);
  }
}

/* Of what it saves, the part of all hooks' cost; of what it loses, the parts of the program's own time and of the rows
 * that then are no longer told of the function. */
static double worth(const struct out_score *score, const struct out_score_function *function)
{
  const struct out_score_costs *costs = &score->costs;
  double saved = costs->hooks > 0 ? function->cost->hooks / costs->hooks : 0;
  double time = costs->all_own > 0 ? function->cost->own / costs->all_own : 0;
  double rows = score->rows > 0 ? (double)function->rows / score->rows : 0;
  return time + rows > 0 ? saved / (time + rows) : 0;
}

/* Functions that are worth most first. Without costs, those with most calls; then in the order of the rows. */
static int by_worth(const void *left, const void *right)
{
  const struct out_score_function *a = left, *b = right;
  if (a->worth != b->worth)
    return a->worth > b->worth ? -1 : 1;
  if (a->cost->calls != b->cost->calls)
    return a->cost->calls > b->cost->calls ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

static int list_functions(struct out_score *score, const struct row_counts *counts)
{
  const struct callsig_stats *stats = score->stats;
  for (uint32_t i = 0; i < stats->listed; i++) {
    struct out_score_function *added = base_vector_add(&score->functions, 1);
    if (!added)
      return -ENOMEM;
    uint32_t row = stats->order[i], function = out_rows_at(&stats->rows, row)->key.what;
    *added = (struct out_score_function){.row = row,
                                         .name = out_profile_function(&stats->profile, function)->name,
                                         .cost = &score->costs.functions[function],
                                         .rows = counts->rows[function],
                                         .signatures = counts->signatures[function]};
    score->rows += added->rows;
  }
  for (uint32_t i = 0; i < score->functions.count && out_score_is_known(score); i++)
    out_score_at(score, i)->worth = worth(score, out_score_at(score, i));
  if (score->functions.count > 1)
    qsort(score->functions.data, score->functions.count, sizeof(struct out_score_function), by_worth);
  return 0;
}

uint32_t *out_score_by_function(const struct out_score *score)
{
  uint32_t count = score->stats->profile.functions.count;
  uint32_t *scored = malloc((count + 1u) * sizeof *scored);
  if (!scored)
    return NULL;
  for (uint32_t i = 0; i < count; i++)
    scored[i] = FMT_NONE;
  for (uint32_t i = 0; i < score->functions.count; i++)
    scored[out_rows_at(&score->stats->rows, out_score_at(score, i)->row)->key.what] = i;
  return scored;
}

int out_score_make(struct callsig_stats *stats, const struct out_score_wanted *wanted, struct out_score *score,
                   bool *told)
{
  *score =
      (struct out_score){.stats = stats, .wanted = *wanted, .functions = BASE_VECTOR_OF(struct out_score_function)};
  struct row_counts counts = {0};
  int result = prepare_by(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE, told);
  if (result < 0)
    return result;
  counts.rows = calloc(stats->profile.functions.count + 1u, sizeof *counts.rows);
  counts.signatures = calloc(stats->profile.functions.count + 1u, sizeof *counts.signatures);
  result = counts.rows && counts.signatures ? 0 : -ENOMEM;
  if (result == 0) {
    count_rows(stats, &counts);
    result = prepare_by(stats, CALLSIG_BY_FUNCTION, told);
  }
  if (result == 0)
    result = out_score_costs_make(stats, &score->costs);
  if (result == 0)
    result = list_functions(score, &counts);
  free(counts.rows);
  free(counts.signatures);
  if (result == 0)
    result = out_score_find_kept(score, told);
  return result;
}

void out_score_free(struct out_score *score)
{
  out_score_costs_free(&score->costs);
  base_vector_free(&score->functions);
}
