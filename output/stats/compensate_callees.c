/* Computes what the hooks cost of each edge's time with callees. */
#include "output/stats/compensate_callees.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/edge_time.h"

uint64_t out_round_on(struct out_rounding *rounding, double amount, uint64_t most)
{
  const double middle = 0.5 + 1.0 / 2048; /* between two of the fractions that there are */
  const double wanted = rounding->carried + amount, whole = floor(wanted + middle);
  rounding->carried = wanted - whole;
  return !(whole > 0) ? 0 : whole >= (double)most ? most : (uint64_t)whole;
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
    if (edge->to == FMT_NONE || !out_edge_is_back(profile, edge))
      continue;
    uint32_t from = out_profile_variant(profile, edge->from)->context,
             to = out_profile_variant(profile, edge->to)->context;
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
static void sum_contexts(const struct out_profile *profile, const int64_t *taken, double *own_time, double *own_cost)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    const uint32_t context = out_profile_variant(profile, edge->to)->context;
    own_time[context] += (double)out_edge_own(profile, edge);
    own_cost[context] += (double)taken[i];
  }
}

static int find_shares(const struct out_profile *profile, const int64_t *taken, double *share)
{
  size_t count = profile->contexts.count + 1u;
  double *own_time = calloc(count, sizeof *own_time), *own_cost = calloc(count, sizeof *own_cost);
  struct shares shares = {.profile = profile,
                          .own_time = own_time,
                          .own_cost = own_cost,
                          .time = calloc(count, sizeof *shares.time),
                          .cost = calloc(count, sizeof *shares.cost),
                          .spans = calloc(count, sizeof *shares.spans),
                          .share = share};
  bool complete = own_time && own_cost && shares.time && shares.cost && shares.spans;
  if (complete) {
    sum_contexts(profile, taken, own_time, own_cost);
    settle(&shares);
  }
  free(own_time);
  free(own_cost);
  free(shares.time);
  free(shares.cost);
  free(shares.spans);
  return complete ? 0 : -ENOMEM;
}

/* What hooks cost of an edge's whole time, when they cost about `wanted`: its own part at the least, and all of its
 * callees' at the most. */
static int64_t within(const struct out_profile *profile, uint32_t number, int64_t least, uint64_t wanted)
{
  const struct out_edge *edge = out_profile_edge(profile, number);
  const uint64_t total = out_edge_total(profile, edge), called = total - out_edge_own(profile, edge);
  const uint64_t own = (uint64_t)least;
  return (int64_t)(wanted < own ? own : wanted - own > called ? own + called : wanted);
}

/* Calls that others lead back to hold these, and what lies between: of all that together it is known what the hooks
 * cost. */
static void share_heads(const struct out_flow *flow, const bool *is_head, const double *share,
                        struct out_compensation *compensation)
{
  const struct out_profile *profile = flow->profile;
  for (uint32_t i = 0; i < flow->ordered; i++) {
    const struct out_flow_edges into = out_flow_into(flow, flow->order[i]);
    struct out_rounding rounding = {0};
    for (uint32_t j = 0; j < into.count; j++) {
      const uint32_t number = into.list[j];
      const struct out_edge *edge = out_profile_edge(profile, number);
      const uint32_t context = out_profile_variant(profile, edge->to)->context;
      if (!is_head[context])
        continue;
      const uint64_t total = out_edge_total(profile, edge);
      compensation->all[number] = within(profile, number, compensation->own[number],
                                         out_round_on(&rounding, (double)total * share[context], total));
    }
  }
}

/* What hooks cost the calls that a node makes, spread over the calls into it by the time that those calls took. */
static void add_called(const struct out_flow *flow, uint32_t node, struct out_compensation *compensation)
{
  const struct out_flow_edges into = out_flow_into(flow, node), out = out_flow_out_of(flow, node);
  struct out_rounding rounding = {0};
  double cost = 0, time = 0;
  for (uint32_t i = 0; i < out.count; i++)
    cost += (double)compensation->all[out.list[i]];
  for (uint32_t i = 0; i < into.count; i++)
    time += (double)out_profile_edge(flow->profile, into.list[i])->children;
  for (uint32_t i = 0; i < into.count; i++) {
    const uint32_t number = into.list[i];
    const uint64_t children = out_profile_edge(flow->profile, number)->children,
                   own = (uint64_t)compensation->own[number];
    const double part = time > 0 ? cost * ((double)children / time) : 0;
    const uint64_t called = out_round_on(&rounding, part, children < UINT64_MAX - own ? children : UINT64_MAX - own);
    compensation->all[number] = within(flow->profile, number, compensation->own[number], own + called);
  }
}

static bool find_heads(const struct out_profile *profile, bool *is_head)
{
  bool any = false;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE || !out_edge_is_back(profile, edge))
      continue;
    is_head[out_profile_variant(profile, edge->to)->context] = true;
    any = true;
  }
  return any;
}

/* From the innermost calls outwards: what a node's calls cost is known of what they called. */
int out_compensate_callees(const struct out_flow *flow, struct out_compensation *compensation)
{
  const struct out_profile *profile = flow->profile;
  bool *is_head = calloc(profile->contexts.count + 1u, sizeof *is_head);
  double *share = calloc(profile->contexts.count + 1u, sizeof *share);
  int result = is_head && share ? 0 : -ENOMEM;
  if (result == 0 && find_heads(profile, is_head)) {
    result = find_shares(profile, compensation->own, share);
    if (result == 0)
      share_heads(flow, is_head, share, compensation);
  }
  for (uint32_t i = flow->ordered; i-- > 0 && result == 0;) {
    const uint32_t node = flow->order[i], any = out_flow_into(flow, node).list[0];
    const uint32_t context = out_profile_variant(profile, out_profile_edge(profile, any)->to)->context;
    if (!is_head[context])
      add_called(flow, node, compensation);
  }
  free(is_head);
  free(share);
  return result;
}
