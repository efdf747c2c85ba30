/* Splits the samples of each function over the edges that lead to it, or to actions in it. */
#include <errno.h>
#include <stdlib.h>

#include "output/beside/beside.h"
#include "output/sampling/hook_cost.h"

/* How an edge's part of its function is found, tried one after the other until there is one that is not 0. */
enum weight {
  WEIGHT_TIME,     /* own time, less what the hooks cost there as the runtime calibrated them */
  WEIGHT_RECORDED, /* own time as it was recorded */
  WEIGHT_CALLS,
  WEIGHT_COUNT,
};

/* Arrays by edge, signature and function. */
struct split {
  const struct out_beside_times *times;
  double *cost;        /* by edge: its part of what the hooks of calls out of its callee cost that */
  double *weight;      /* of each edge */
  double *sum;         /* of the weights, by function */
  double *positive;    /* by signature, while edges are weighed: of those that are above 0 */
  double *whole;       /* the same of all */
  const double *ticks; /* by function: what is split */
};

static uint32_t function_of(const struct out_profile *profile, uint32_t context)
{
  return out_profile_callable(profile, out_profile_context(profile, context)->callable)->function;
}

uint32_t out_beside_function(const struct out_profile *profile, uint32_t variant)
{
  const uint32_t own = function_of(profile, out_profile_variant(profile, variant)->context);
  uint32_t context = out_profile_variant(profile, variant)->context, function = own;
  while (out_profile_function(profile, function)->is_action) {
    context = out_profile_context(profile, context)->parent;
    if (context == FMT_NONE || out_profile_context(profile, context)->callable == FMT_NONE)
      return own;
    function = function_of(profile, context);
  }
  return function;
}

static int find_costs(struct split *split)
{
  const struct out_profile *profile = split->times->profile;
  double *outward = calloc(profile->edges.count + 1u, sizeof *outward);
  if (!outward)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_beside_has(split->times, out_profile_edge(profile, i)))
      outward[i] = out_hook_cost(profile, out_profile_edge(profile, i)).caller;
  int result = out_beside_outward(split->times, outward, split->cost);
  free(outward);
  return result;
}

static double weigh(const struct split *split, enum weight kind, uint32_t number)
{
  const struct out_profile *profile = split->times->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  if (kind == WEIGHT_CALLS)
    return out_edge_frames(profile, edge);
  double own = (double)out_edge_own(profile, edge);
  if (split->times->slept)
    own -= split->times->slept[number];
  if (kind == WEIGHT_RECORDED)
    return own;
  return own - out_hook_cost(profile, edge).callee + out_hooks_hidden(profile, edge) - split->cost[number];
}

static bool is_weighed(const struct split *split, const bool *is_settled, const struct out_edge *edge)
{
  return out_beside_has(split->times, edge) && !is_settled[out_beside_function(split->times->profile, edge->to)];
}

/* Weighs the edges of the functions that have no weight yet: those of a signature weigh as much as it does as a whole,
 * so that signatures do not depend on how calls are spread over edges. */
static void weigh_all(struct split *split, enum weight kind, const bool *is_settled)
{
  const struct out_profile *profile = split->times->profile;
  for (uint32_t i = 0; i < profile->signatures.count; i++)
    split->positive[i] = split->whole[i] = 0;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!is_weighed(split, is_settled, edge))
      continue;
    const uint32_t signature = out_profile_variant(profile, edge->to)->signature;
    const double weight = weigh(split, kind, i);
    split->weight[i] = weight > 0 ? weight : 0;
    split->positive[signature] += split->weight[i];
    split->whole[signature] += weight;
  }
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!is_weighed(split, is_settled, edge))
      continue;
    const uint32_t signature = out_profile_variant(profile, edge->to)->signature;
    if (split->positive[signature] > 0)
      split->weight[i] *= (split->whole[signature] > 0 ? split->whole[signature] : 0) / split->positive[signature];
    split->sum[out_beside_function(profile, edge->to)] += split->weight[i];
  }
}

void out_beside_ticks(const struct out_beside_times *times, const struct out_sampled_run *run, double *ticks)
{
  const struct out_profile *profile = times->profile;
  const double period = (double)run->head.period / 1024e9 / out_profile_recording(profile, times->recording)->tick;
  for (uint32_t i = 0; i < run->count; i++) {
    const struct out_place *place = out_profile_place(profile, run->first + i);
    if (place->row != FMT_NONE)
      ticks[place->row] += (double)place->samples * period;
  }
}

static void share_out(struct split *split)
{
  const struct out_profile *profile = split->times->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!out_beside_has(split->times, edge))
      continue;
    uint32_t function = out_beside_function(profile, edge->to);
    split->times->own[i] =
        split->sum[function] > 0 ? split->ticks[function] * (split->weight[i] / split->sum[function]) : 0;
  }
}

int out_beside_own(struct out_beside_times *times, const double *ticks)
{
  const struct out_profile *profile = times->profile;
  size_t functions = profile->functions.count + 1u;
  bool *is_settled = calloc(functions, sizeof *is_settled);
  struct split split = {.times = times,
                        .cost = calloc(profile->edges.count + 1u, sizeof *split.cost),
                        .weight = calloc(profile->edges.count + 1u, sizeof *split.weight),
                        .sum = calloc(functions, sizeof *split.sum),
                        .positive = calloc(profile->signatures.count + 1u, sizeof *split.positive),
                        .whole = calloc(profile->signatures.count + 1u, sizeof *split.whole),
                        .ticks = ticks};
  bool complete = is_settled && split.cost && split.weight && split.sum && split.positive && split.whole;
  int result = complete ? find_costs(&split) : -ENOMEM;
  for (int kind = WEIGHT_TIME; result == 0 && kind < WEIGHT_COUNT; kind++) {
    weigh_all(&split, (enum weight)kind, is_settled);
    for (size_t i = 0; i < functions; i++)
      is_settled[i] = split.sum[i] > 0;
  }
  if (result == 0)
    share_out(&split);
  free(is_settled);
  free(split.cost);
  free(split.weight);
  free(split.sum);
  free(split.positive);
  free(split.whole);
  return result;
}
