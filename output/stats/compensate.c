/* Computes what the hooks cost, call by call and context by context. */
#include "output/stats/compensate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/stats/sampling_error.h"

void out_compensation_free(struct out_compensation *compensation)
{
  free(compensation->own);
  free(compensation->share);
  free(compensation->calls);
  *compensation = (struct out_compensation){0};
}

static uint64_t calls_of(const struct out_profile *profile, const struct out_edge *edge)
{
  return edge->calls + (edge->recursion == FMT_NONE ? 0 : out_profile_recursion(profile, edge->recursion)->calls);
}

/* Own time of the calls on an edge, ticks. */
static double own_of(const struct out_profile *profile, const struct out_edge *edge)
{
  uint64_t total =
      edge->total + (edge->recursion == FMT_NONE ? 0 : out_profile_recursion(profile, edge->recursion)->total);
  return total > edge->children ? (double)(total - edge->children) : 0;
}

/* own[variant], calls[variant], and by context the sum of own time in `time`. */
static void count_variants(const struct out_profile *profile, struct out_compensation *compensation, double *time)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    const struct out_recording_info *info =
        out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
    uint64_t calls = calls_of(profile, edge);
    compensation->calls[edge->to] += calls;
    compensation->own[edge->to] += (double)calls * (double)info->hook_inner / 1024;
    /* A call that is not timed spares the price of that, and is taken off its caller with the time of one that is. */
    double spared = (double)out_edge_sampling(profile, edge).untimed * (double)info->process.sample_price / 1024;
    if (edge->from != FMT_NONE)
      compensation->own[edge->from] +=
          (double)calls * (double)info->hook_outer / 1024 + (double)edge->overhead - spared;
    time[out_profile_variant(profile, edge->to)->context] += own_of(profile, edge);
  }
}

/* A caller whose signature was merged is a variant that nothing leads into: what its callees cost is shared out among
 * the calls of its context. */
static int spread_merged(const struct out_profile *profile, struct out_compensation *compensation)
{
  size_t count = profile->contexts.count + 1u;
  double *cost = calloc(count, sizeof *cost), *calls = calloc(count, sizeof *calls);
  bool complete = cost && calls;
  for (uint32_t i = 0; complete && i < profile->variants.count; i++) {
    uint32_t context = out_profile_variant(profile, i)->context;
    if (context == FMT_NONE)
      continue;
    calls[context] += (double)compensation->calls[i];
    if (compensation->calls[i] == 0) {
      cost[context] += compensation->own[i];
      compensation->own[i] = 0;
    }
  }
  for (uint32_t i = 0; complete && i < profile->variants.count; i++) {
    uint32_t context = out_profile_variant(profile, i)->context;
    if (context != FMT_NONE && calls[context] > 0)
      compensation->own[i] += cost[context] * ((double)compensation->calls[i] / calls[context]);
  }
  free(cost);
  free(calls);
  return complete ? 0 : -ENOMEM;
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

static int find_shares(const struct out_profile *profile, struct out_compensation *compensation, double *own_time)
{
  size_t count = profile->contexts.count + 1u;
  double *own_cost = calloc(count, sizeof *own_cost);
  struct shares shares = {.profile = profile,
                          .own_time = own_time,
                          .own_cost = own_cost,
                          .time = calloc(count, sizeof *shares.time),
                          .cost = calloc(count, sizeof *shares.cost),
                          .spans = calloc(count, sizeof *shares.spans),
                          .share = compensation->share};
  bool complete = own_cost && shares.time && shares.cost && shares.spans;
  if (complete) {
    for (uint32_t i = 0; i < profile->variants.count; i++) {
      uint32_t context = out_profile_variant(profile, i)->context;
      if (context != FMT_NONE)
        own_cost[context] += compensation->own[i];
    }
    for (size_t i = 0; i < count; i++)
      own_cost[i] = own_cost[i] > own_time[i] ? own_time[i] : own_cost[i];
    settle(&shares);
  }
  free(own_cost);
  free(shares.time);
  free(shares.cost);
  free(shares.spans);
  return complete ? 0 : -ENOMEM;
}

int out_compensate(const struct out_profile *profile, struct out_compensation *compensation)
{
  compensation->own = calloc(profile->variants.count + 1u, sizeof *compensation->own);
  compensation->calls = calloc(profile->variants.count + 1u, sizeof *compensation->calls);
  compensation->share = calloc(profile->contexts.count + 1u, sizeof *compensation->share);
  double *time = calloc(profile->contexts.count + 1u, sizeof *time);
  int result = -ENOMEM;
  if (compensation->own && compensation->calls && compensation->share && time) {
    count_variants(profile, compensation, time);
    result = spread_merged(profile, compensation);
  }
  if (result == 0)
    result = find_shares(profile, compensation, time);
  free(time);
  if (result < 0)
    out_compensation_free(compensation);
  return result;
}
