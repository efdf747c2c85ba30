/* Computes what the hooks cost, call by call and context by context. */
#include "output/stats/compensate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/edge_time.h"
#include "output/sampling/hook_cost.h"
#include "output/stats/edge_share.h"

void out_compensation_free(struct out_compensation *compensation)
{
  free(compensation->own);
  free(compensation->share);
  *compensation = (struct out_compensation){0};
}

/* What hooks cost more than the own time of edges, and less: seconds. */
struct room {
  double lacking, free;
};

/* What is summed on the way to what each edge's own time loses. */
struct costs {
  const struct out_profile *profile;
  double *outward;           /* by variant: what the hooks of the calls that it makes cost it */
  double *entered;           /* by variant: calls into it */
  double *edge;              /* by edge: what hooks cost its calls' own time, ticks */
  struct room *of_signature; /* by signature: of its edges */
  struct room *of_function;  /* by function: of its signatures */
};

static const struct out_recording_info *recording_of(const struct out_profile *profile, const struct out_edge *edge)
{
  return out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
}

static void count_variants(struct costs *costs, bool only_sampled)
{
  const struct out_profile *profile = costs->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    costs->entered[edge->to] += (double)out_edge_calls(profile, edge);
    if (only_sampled && !(recording_of(profile, edge)->flags & FMT_REC_SAMPLED))
      continue;
    const struct out_hook_cost cost = out_hook_cost(profile, edge);
    costs->edge[i] = cost.callee;
    if (edge->from != FMT_NONE)
      costs->outward[edge->from] += cost.caller;
  }
}

/* A caller whose signature was merged is a variant that nothing leads into: what its callees cost is shared out among
 * the calls of its context. */
static int spread_merged(struct costs *costs)
{
  const struct out_profile *profile = costs->profile;
  size_t count = profile->contexts.count + 1u;
  double *cost = calloc(count, sizeof *cost), *calls = calloc(count, sizeof *calls);
  bool complete = cost && calls;
  for (uint32_t i = 0; complete && i < profile->variants.count; i++) {
    uint32_t context = out_profile_variant(profile, i)->context;
    if (context == FMT_NONE)
      continue;
    calls[context] += costs->entered[i];
    if (costs->entered[i] == 0) {
      cost[context] += costs->outward[i];
      costs->outward[i] = 0;
    }
  }
  for (uint32_t i = 0; complete && i < profile->variants.count; i++) {
    uint32_t context = out_profile_variant(profile, i)->context;
    if (context != FMT_NONE && calls[context] > 0)
      costs->outward[i] += cost[context] * (costs->entered[i] / calls[context]);
  }
  free(cost);
  free(calls);
  return complete ? 0 : -ENOMEM;
}

static void add_room(struct room *room, double own, double cost)
{
  if (cost > own)
    room->lacking += cost - own;
  else
    room->free += own - cost;
}

/* The part of what is free that others lack. */
static double taken_of(const struct room *room)
{
  return room->lacking < room->free ? room->lacking / room->free : 1;
}

/* What a variant's callees cost is known of all its calls together: an edge takes its part of them. */
static void add_outward(struct costs *costs)
{
  const struct out_profile *profile = costs->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    if (costs->entered[edge->to] > 0)
      costs->edge[i] += costs->outward[edge->to] * ((double)out_edge_calls(profile, edge) / costs->entered[edge->to]);
    const double tick = recording_of(profile, edge)->tick;
    add_room(&costs->of_signature[out_profile_variant(profile, edge->to)->signature],
             (double)out_edge_own(profile, edge) * tick, costs->edge[i] * tick);
  }
  for (uint32_t i = 0; i < profile->signatures.count; i++)
    add_room(&costs->of_function[out_signature_function(profile, i)], costs->of_signature[i].free,
             costs->of_signature[i].lacking);
}

/* No edge loses more than it has. What hooks cost beyond that is taken off the other calls with the same signature, and
 * what these have not, off the other calls of the function: so rows do not depend on how calls are spread over edges.
 */
static void settle_edges(const struct costs *costs, double *taken)
{
  const struct out_profile *profile = costs->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    const uint32_t signature = out_profile_variant(profile, edge->to)->signature;
    const double own = (double)out_edge_own(profile, edge);
    double wanted = costs->edge[i] < own ? costs->edge[i] : own;
    wanted += (own - wanted) * taken_of(&costs->of_signature[signature]);
    wanted += (own - wanted) * taken_of(&costs->of_function[out_signature_function(profile, signature)]);
    taken[i] = wanted < own ? wanted : own;
  }
}

static int find_own(const struct out_profile *profile, bool only_sampled, double *taken)
{
  const size_t variants = profile->variants.count + 1u;
  struct costs costs = {.profile = profile,
                        .outward = calloc(variants, sizeof *costs.outward),
                        .entered = calloc(variants, sizeof *costs.entered),
                        .edge = calloc(profile->edges.count + 1u, sizeof *costs.edge),
                        .of_signature = calloc(profile->signatures.count + 1u, sizeof *costs.of_signature),
                        .of_function = calloc(profile->functions.count + 1u, sizeof *costs.of_function)};
  bool complete = costs.outward && costs.entered && costs.edge && costs.of_signature && costs.of_function;
  int result = -ENOMEM;
  if (complete) {
    count_variants(&costs, only_sampled);
    result = spread_merged(&costs);
  }
  if (result == 0) {
    add_outward(&costs);
    settle_edges(&costs, taken);
  }
  free(costs.outward);
  free(costs.entered);
  free(costs.edge);
  free(costs.of_signature);
  free(costs.of_function);
  return result;
}

/* Where each context's subtree lies in the preorder: from `first` to `last`. */
struct span {
  uint32_t first, last;
};

/* What the contexts are worked on with; arrays by context. */
struct shares {
  const struct out_profile *profile;
  const double *own_time, *own_cost; /* of the calls into the context alone */
  double *time, *cost;               /* of its subtree and what is called back from there */
  struct span *spans;
  double *share;
};

static uint32_t context_at(const struct out_profile *profile, uint32_t position)
{
  return *(uint32_t *)base_vector_at(&profile->preorder, position);
}

static void find_spans(struct shares *shares)
{
  const struct out_profile *profile = shares->profile;
  for (uint32_t i = profile->preorder.count; i-- > 0;) {
    uint32_t context = context_at(profile, i), parent = out_profile_context(profile, context)->parent;
    shares->spans[context].first = i;
    if (shares->spans[context].last < i)
      shares->spans[context].last = i;
    if (parent != FMT_NONE && shares->spans[parent].last < shares->spans[context].last)
      shares->spans[parent].last = shares->spans[context].last;
  }
}

static bool encloses(const struct shares *shares, uint32_t outer, uint32_t inner)
{
  return shares->spans[outer].first <= shares->spans[inner].first &&
         shares->spans[inner].last <= shares->spans[outer].last;
}

/* Recursion is folded into the ancestor: the time of a call back to it passes in the ancestor's subtree, though it is
 * part of every call between the two. With the ancestor's share of before, it is added from the caller up to below the
 * ancestor. */
static void add_calls_back(struct shares *shares)
{
  const struct out_profile *profile = shares->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE || edge->from == FMT_NONE)
      continue;
    uint32_t from = out_profile_variant(profile, edge->from)->context,
             to = out_profile_variant(profile, edge->to)->context;
    if (out_profile_context(profile, to)->parent == from)
      continue;
    double time = (double)edge->total;
    if (edge->recursion != FMT_NONE)
      time += (double)out_profile_recursion(profile, edge->recursion)->cumulative[FMT_GROUP_FUNCTION_PAIR];
    shares->time[from] += time;
    shares->cost[from] += time * shares->share[to];
    if (encloses(shares, to, from)) {
      shares->time[to] -= time;
      shares->cost[to] -= time * shares->share[to];
    }
  }
}

/* Children are added to their parents, later ones in the preorder first. */
static void add_up(struct shares *shares)
{
  const struct out_profile *profile = shares->profile;
  for (uint32_t i = profile->preorder.count; i-- > 0;) {
    uint32_t context = context_at(profile, i), parent = out_profile_context(profile, context)->parent;
    if (parent != FMT_NONE) {
      shares->cost[parent] += shares->cost[context];
      shares->time[parent] += shares->time[context];
    }
  }
  for (uint32_t i = 0; i < profile->contexts.count; i++) {
    double share = shares->time[i] > 0 ? shares->cost[i] / shares->time[i] : 0;
    shares->share[i] = share < 0 ? 0 : share > 1 ? 1 : share;
  }
}

/* The shares of ancestors that calls go back to depend on each other: a few rounds settle them. */
static void settle(struct shares *shares)
{
  enum { ROUNDS = 6 };
  size_t bytes = shares->profile->contexts.count * sizeof *shares->time;
  find_spans(shares);
  for (int round = 0; round < ROUNDS; round++) {
    memcpy(shares->time, shares->own_time, bytes);
    memcpy(shares->cost, shares->own_cost, bytes);
    if (round > 0)
      add_calls_back(shares);
    add_up(shares);
  }
}

/* By context, the sums of the own time of the calls into it, and of what hooks cost of that. */
static void sum_contexts(const struct out_profile *profile, const double *taken, double *own_time, double *own_cost)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    const uint32_t context = out_profile_variant(profile, edge->to)->context;
    own_time[context] += (double)out_edge_own(profile, edge);
    own_cost[context] += taken[i];
  }
}

static int find_shares(const struct out_profile *profile, struct out_compensation *compensation)
{
  size_t count = profile->contexts.count + 1u;
  double *own_time = calloc(count, sizeof *own_time), *own_cost = calloc(count, sizeof *own_cost);
  struct shares shares = {.profile = profile,
                          .own_time = own_time,
                          .own_cost = own_cost,
                          .time = calloc(count, sizeof *shares.time),
                          .cost = calloc(count, sizeof *shares.cost),
                          .spans = calloc(count, sizeof *shares.spans),
                          .share = compensation->share};
  bool complete = own_time && own_cost && shares.time && shares.cost && shares.spans;
  if (complete) {
    sum_contexts(profile, compensation->own, own_time, own_cost);
    settle(&shares);
  }
  free(own_time);
  free(own_cost);
  free(shares.time);
  free(shares.cost);
  free(shares.spans);
  return complete ? 0 : -ENOMEM;
}

int out_compensate(const struct out_profile *profile, bool only_sampled, struct out_compensation *compensation)
{
  compensation->own = calloc(profile->edges.count + 1u, sizeof *compensation->own);
  compensation->share = calloc(profile->contexts.count + 1u, sizeof *compensation->share);
  int result = compensation->own && compensation->share ? find_own(profile, only_sampled, compensation->own) : -ENOMEM;
  if (result == 0)
    result = find_shares(profile, compensation);
  if (result < 0)
    out_compensation_free(compensation);
  return result;
}
