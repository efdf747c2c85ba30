/* Sums what the hooks of each function's calls cost, and takes it off the times that they ran in. */
#include "output/score/cost.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/beside/in_place.h"
#include "output/profile/edge_time.h"
#include "output/sampling/hook_cost.h"

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
  const struct out_profile *profile;
  const uint32_t *shown_function;
  struct out_score_costs *costs;
  struct part {
    double time;  /* own time as it was measured, seconds */
    double hooks; /* the part of it that is not the program's */
  } * parts;      /* by function */
  double outside; /* of hooks in no function's time: around the outermost calls */
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
  return sums->shown_function[out_profile_callable(profile, context->callable)->function];
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
  const double inner = hooks.callee * info->tick, outer = hooks.caller * info->tick;
  uint32_t to = function_of(sums, edge->to);
  struct out_score_cost *cost = &sums->costs->functions[to];
  cost->calls += calls;
  cost->timed += sampling.timed;
  cost->hooks += inner + outer;
  sums->parts[to].time += (double)out_edge_own(profile, edge) * info->tick;
  sums->parts[to].hooks += inner;
  if (edge->from != FMT_NONE)
    sums->parts[function_of(sums, edge->from)].hooks += outer;
  else
    sums->outside += outer;
}

/* By how much a time may be off where samples of the run tell the sum of which `hooks` are a part. */
static double sampled_error(double hooks, double own)
{
  return fmin(fmax(hooks, 0), (hooks + own) / 4);
}

/* What the hooks can have taken is at most what the program itself left. */
static void settle(const struct sums *sums)
{
  struct out_score_costs *costs = sums->costs;
  double said = 0, measured = sums->outside;
  for (uint32_t i = 0; i < sums->profile->functions.count; i++) {
    struct out_score_cost *cost = &costs->functions[i];
    const struct part *part = &sums->parts[i];
    cost->own = part->time > part->hooks ? part->time - part->hooks : 0;
    cost->sure = fmax(cost->own - out_guess_error(part->hooks, cost->own), 0);
    measured += part->time;
    said += cost->hooks;
    costs->own += cost->own;
    costs->calls += cost->calls;
    costs->timed += cost->timed;
  }
  double possible = measured > costs->own ? measured - costs->own : 0;
  costs->lowered = said > possible ? possible / said : 1;
  for (uint32_t i = 0; i < sums->profile->functions.count; i++)
    costs->functions[i].hooks *= costs->lowered;
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
  if (!(hooks > 0) || !(own > 0) || !(costs->hooks > 0))
    return;
  const double dearer = hooks / costs->hooks, longer = costs->own > 0 ? own / costs->own : 1;
  for (uint32_t i = 0; i < profile->functions.count; i++) {
    struct out_score_cost *cost = &costs->functions[i];
    cost->sure = (cost->own - sampled_error(sums->parts[i].hooks, cost->own)) * longer;
    cost->hooks *= dearer;
    cost->own *= longer;
  }
  costs->lowered *= dearer;
  costs->hooks = hooks;
  costs->own = own;
  costs->uncertainty = 2 * sqrt(variance);
  costs->samples = all.all;
  costs->in_hooks = all.hooks;
}

int out_score_costs_make(const struct out_profile *profile, const uint32_t *shown_function,
                         struct out_score_costs *costs)
{
  uint32_t count = profile->functions.count;
  *costs = (struct out_score_costs){.functions = calloc(count + 1u, sizeof *costs->functions), .unknown = FMT_NONE};
  struct sums sums = {.profile = profile,
                      .shown_function = shown_function,
                      .costs = costs,
                      .parts = calloc(count + 1u, sizeof *sums.parts)};
  bool complete = costs->functions && sums.parts;
  if (complete) {
    for (uint32_t i = 0; i < profile->edges.count; i++) {
      const struct out_edge *edge = out_profile_edge(profile, i);
      if (edge->to != FMT_NONE)
        add_edge(&sums, edge);
    }
    settle(&sums);
    settle_by_samples(&sums);
  }
  free(sums.parts);
  return complete ? 0 : -ENOMEM;
}
