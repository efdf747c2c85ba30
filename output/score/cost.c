/* Sums what the hooks of each function's calls cost, and takes it off the times that they ran in. */
#include "output/score/cost.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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
  double *inside; /* by function: the hooks' part of its own time, seconds */
  double outside; /* of hooks in no function's time: around the outermost calls */
};

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
  const struct out_recursion *recursion =
      edge->recursion == FMT_NONE ? NULL : out_profile_recursion(profile, edge->recursion);
  uint64_t calls = edge->calls + (recursion ? recursion->calls : 0);
  uint64_t total = edge->total + (recursion ? recursion->total : 0);
  if (calls > 0 && (info->flags & FMT_REC_SAMPLED || (info->hook_inner == 0 && info->hook_outer == 0)))
    sums->costs->unknown = number;
  uint32_t to = function_of(sums, edge->to);
  struct out_score_cost *cost = &sums->costs->functions[to];
  double inner = (double)calls * (double)info->hook_inner / 1024 * info->tick;
  double outer = ((double)calls * (double)info->hook_outer / 1024 + (double)edge->overhead) * info->tick;
  cost->calls += calls;
  cost->timed += calls;
  cost->measured += ((double)total - (double)edge->children) * info->tick;
  cost->hooks += inner + outer;
  sums->inside[to] += inner;
  if (edge->from != FMT_NONE)
    sums->inside[function_of(sums, edge->from)] += outer;
  else
    sums->outside += outer;
}

/* By how much hooks that took `taken` of `measured` may be off: docs/hot-path.md says why. */
static double uncertainty(double taken, double measured)
{
  return taken < measured / 4 ? taken : measured / 4;
}

/* What the hooks can have taken is at most what there was. */
static void settle(const struct sums *sums)
{
  struct out_score_costs *costs = sums->costs;
  double said = 0, possible = sums->outside;
  for (uint32_t i = 0; i < sums->profile->functions.count; i++) {
    struct out_score_cost *cost = &costs->functions[i];
    cost->measured = cost->measured > 0 ? cost->measured : 0;
    double taken = sums->inside[i] < cost->measured ? sums->inside[i] : cost->measured;
    cost->own = cost->measured - taken;
    cost->sure = cost->own - uncertainty(taken, cost->measured);
    possible += taken;
    said += cost->hooks;
    costs->own += cost->own;
    costs->calls += cost->calls;
    costs->timed += cost->timed;
  }
  costs->lowered = said > possible ? possible / said : 1;
  for (uint32_t i = 0; i < sums->profile->functions.count; i++)
    costs->functions[i].hooks *= costs->lowered;
  costs->hooks = said * costs->lowered;
  costs->uncertainty = uncertainty(costs->hooks, costs->hooks + costs->own);
}

int out_score_costs_make(const struct out_profile *profile, const uint32_t *shown_function,
                         struct out_score_costs *costs)
{
  uint32_t count = profile->functions.count;
  *costs = (struct out_score_costs){.functions = calloc(count + 1u, sizeof *costs->functions), .unknown = FMT_NONE};
  struct sums sums = {.profile = profile,
                      .shown_function = shown_function,
                      .costs = costs,
                      .inside = calloc(count + 1u, sizeof *sums.inside)};
  bool complete = costs->functions && sums.inside;
  if (complete) {
    for (uint32_t i = 0; i < profile->edges.count; i++) {
      const struct out_edge *edge = out_profile_edge(profile, i);
      if (edge->to != FMT_NONE)
        add_edge(&sums, edge);
    }
    settle(&sums);
  }
  free(sums.inside);
  return complete ? 0 : -ENOMEM;
}
