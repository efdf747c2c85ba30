/* Sums what the hooks of each function's calls cost, beside the functions' own times as a report has them. */
#include "output/score/cost.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/beside/in_place.h"
#include "output/profile/edge_time.h"
#include "output/sampling/hook_cost.h"
#include "output/stats/compensate.h"
#include "output/stats/row_errors.h"

double out_score_slowdown(double hooks, double own)
{
  if (own > 0)
    return (own + hooks) / own;
  return hooks > 0 ? INFINITY : 1;
}

void out_score_costs_free(struct out_score_costs *costs)
{
  free(costs->functions);
  *costs = (struct out_score_costs){0};
}

/* What is summed on the way. */
struct sums {
  const struct callsig_stats *stats;
  const struct out_profile *profile;
  struct out_score_costs *costs;
  double measured; /* by the clock, of all functions' own times, and what hooks took around the outermost calls */
  double said;     /* by the calibration, of all hooks */
};

/* Was it measured what hooks take, and what a call spares that is not timed? */
static bool is_known(const struct out_recording_info *info, uint64_t untimed)
{
  return (info->hook_inner > 0 || info->hook_outer > 0) && (untimed == 0 || info->process.sample_price > 0);
}

static uint32_t function_of(const struct sums *sums, uint32_t variant)
{
  const struct out_profile *profile = sums->profile;
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, variant)->context);
  return sums->stats->shown_function[out_profile_callable(profile, context->callable)->function];
}

static void add_edge(struct sums *sums, const struct out_edge *edge)
{
  const struct out_profile *profile = sums->profile;
  uint32_t number = out_profile_thread(profile, edge->thread)->recording;
  const struct out_recording_info *info = out_profile_recording(profile, number);
  const struct out_edge_sampling sampling = out_edge_sampling(profile, edge);
  const uint64_t calls = sampling.timed + sampling.untimed;
  if (calls > 0 && !is_known(info, sampling.untimed))
    sums->costs->unknown = number;
  const struct out_hook_cost hooks = out_hook_cost(profile, edge);
  struct out_score_cost *cost = &sums->costs->functions[function_of(sums, edge->to)];
  cost->calls += calls;
  cost->timed += sampling.timed;
  cost->hooks += (hooks.callee + hooks.caller) * info->tick;
  sums->said += (hooks.callee + hooks.caller) * info->tick;
  sums->costs->calls += calls;
  sums->costs->timed += sampling.timed;
  sums->measured += (double)out_edge_own(profile, edge) * info->tick;
  if (edge->from == FMT_NONE)
    sums->measured += hooks.caller * info->tick;
}

/* Takes each function's own time, and what it is at least, from the rows by function. */
static int take_rows(const struct sums *sums, const struct out_grouping *grouping, const struct out_rows *rows)
{
  struct out_row_error *errors = out_row_errors_make(sums->profile, grouping, rows);
  if (!errors)
    return -ENOMEM;
  for (uint32_t i = 0; i < rows->list.count; i++) {
    const struct out_row *row = out_rows_at(rows, i);
    struct out_score_cost *cost = &sums->costs->functions[row->key.what];
    const double least = ((double)row->own - errors[i].own) * grouping->tick;
    cost->own = (double)row->own * grouping->tick;
    /* An error that is not known is no number. */
    cost->sure = least > 0 ? least : 0;
    sums->costs->all_own += cost->own;
  }
  free(errors);
  return 0;
}

/* The own times of a report without hooks, of all calls. */
static int find_own(const struct sums *sums, struct out_profile *profile)
{
  struct out_compensation compensation = {0};
  struct out_rows rows;
  int result = out_compensate(profile, false, &compensation);
  if (result < 0)
    return result;
  const struct out_grouping grouping = {.by = CALLSIG_BY_FUNCTION,
                                        .shown_function = sums->stats->shown_function,
                                        .compensation = &compensation,
                                        .tick = sums->stats->grouping.tick};
  out_rows_init(&rows);
  result = out_rows_build(profile, &grouping, &rows);
  if (result == 0)
    result = take_rows(sums, &grouping, &rows);
  out_rows_free(&rows);
  out_compensation_free(&compensation);
  return result;
}

/* What the hooks can have taken is at most what the program itself left. */
static void settle(const struct sums *sums)
{
  struct out_score_costs *costs = sums->costs;
  const double said = sums->said;
  costs->own = costs->all_own;
  double possible = sums->measured > costs->own ? sums->measured - costs->own : 0;
  costs->lowered = said > possible ? possible / said : 1;
  costs->hooks = said * costs->lowered;
  costs->uncertainty = out_guess_error(costs->hooks, costs->own);
}

/* Makes the sums what samples of all runs say, if there are any. The samples are of a Poisson process. */
static void settle_by_samples(const struct sums *sums)
{
  const struct out_profile *profile = sums->profile;
  struct out_score_costs *costs = sums->costs;
  struct out_in_place_samples all = {0};
  double hooks = 0, own = 0, variance = 0;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    const struct out_in_place_samples samples = out_in_place_of_recording(profile, info);
    if (samples.all == 0)
      return;
    const double period = (double)out_in_place_run(profile, info)->head.period / 1024e9;
    all.all += samples.all;
    all.hooks += samples.hooks;
    hooks += (double)samples.hooks * period;
    own += (double)(samples.all - samples.hooks) * period;
    variance += (double)samples.all * period * period / 4;
  }
  if (!(hooks > 0) || !(own > 0) || !(sums->said > 0))
    return;
  costs->lowered = hooks / sums->said;
  costs->hooks = hooks;
  costs->own = own;
  costs->uncertainty = 2 * sqrt(variance);
  costs->samples = all.all;
  costs->in_hooks = all.hooks;
}

int out_score_costs_make(struct callsig_stats *stats, struct out_score_costs *costs)
{
  struct out_profile *profile = &stats->profile;
  *costs = (struct out_score_costs){.functions = calloc(profile->functions.count + 1u, sizeof *costs->functions),
                                    .unknown = FMT_NONE};
  if (!costs->functions)
    return -ENOMEM;
  struct sums sums = {.stats = stats, .profile = profile, .costs = costs};
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to != FMT_NONE)
      add_edge(&sums, edge);
  }
  int result = find_own(&sums, profile);
  if (result < 0)
    return result;
  settle(&sums);
  settle_by_samples(&sums);
  for (uint32_t i = 0; i < profile->functions.count; i++)
    costs->functions[i].hooks *= costs->lowered;
  return 0;
}
