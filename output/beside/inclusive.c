/* Finds each edge's time with callees, given the edges' own times. */
#include <errno.h>
#include <stdlib.h>

#include "output/beside/beside.h"

/* Rounds over the edges: one is exact without recursion. With it, each adds what comes back once more, and the error
 * shrinks with every round. */
enum { ROUNDS_MOST = 400 };
#define CLOSE_ENOUGH 1e-9 /* of all time */

/* What the edges are worked on with. A variant that no edge leads to stands for all variants of its context, where a
 * caller's signature was merged, or its calls count by what they returned: what is called from there is shared out
 * among all of them. */
struct sums {
  const struct out_beside_times *times;
  uint32_t *order; /* edges, those into inner contexts first */
  uint32_t count;
  double *share;      /* by edge: of what its variant calls */
  double *merged;     /* by edge: of what its context's merged variant calls */
  double *called;     /* by variant: time of the calls out of it */
  double *by_variant; /* recorded time of callees, or calls, of the edges into it */
  double *by_context;
  bool *is_entered;   /* by variant */
  uint32_t *position; /* by context, in the preorder from its end on */
};

static uint32_t context_of(const struct sums *sums, uint32_t variant)
{
  return out_profile_variant(sums->times->profile, variant)->context;
}

/* Puts the edges in order, those into one context as they come: each position is counted from the last one on, so that
 * an edge's place is known without a comparison. */
static int put_in_order(struct sums *sums)
{
  const struct out_profile *profile = sums->times->profile;
  const uint32_t contexts = profile->preorder.count;
  uint32_t *first = calloc(contexts + 1u, sizeof *first);
  if (!first)
    return -ENOMEM;
  for (uint32_t i = 0; i < contexts; i++)
    sums->position[*(uint32_t *)base_vector_at(&profile->preorder, i)] = contexts - 1 - i;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_beside_has(sums->times, out_profile_edge(profile, i)))
      first[sums->position[context_of(sums, out_profile_edge(profile, i)->to)]]++;
  for (uint32_t i = 0; i <= contexts; i++) {
    const uint32_t count = first[i];
    first[i] = sums->count;
    sums->count += count;
  }
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_beside_has(sums->times, out_profile_edge(profile, i)))
      sums->order[first[sums->position[context_of(sums, out_profile_edge(profile, i)->to)]]++] = i;
  free(first);
  return 0;
}

/* Adds up a weight of the edges by variant and context: recorded time of callees, or, in the second round and where
 * that is 0, calls. */
static void weigh(struct sums *sums, double *weight)
{
  const struct out_profile *profile = sums->times->profile;
  double *by_variant = sums->by_variant, *by_context = sums->by_context;
  for (uint32_t i = 0; i < sums->count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, sums->order[i]);
    weight[sums->order[i]] = (double)edge->children;
    by_variant[edge->to] += (double)edge->children;
    by_context[context_of(sums, edge->to)] += (double)edge->children;
  }
}

/* The part of each edge in what its variant, and what its context's merged variant calls. */
static void find_shares(struct sums *sums, double *calls_of_variant, double *calls_of_context)
{
  const struct out_profile *profile = sums->times->profile;
  for (uint32_t i = 0; i < sums->count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, sums->order[i]);
    double calls = out_edge_frames(profile, edge);
    calls_of_variant[edge->to] += calls;
    calls_of_context[context_of(sums, edge->to)] += calls;
  }
  for (uint32_t i = 0; i < sums->count; i++) {
    uint32_t number = sums->order[i];
    const struct out_edge *edge = out_profile_edge(profile, number);
    uint32_t context = context_of(sums, edge->to);
    double weight = sums->share[number], calls = out_edge_frames(profile, edge);
    double of_variant = sums->by_variant[edge->to], of_context = sums->by_context[context];
    sums->share[number] = of_variant > 0                   ? weight / of_variant
                          : calls_of_variant[edge->to] > 0 ? calls / calls_of_variant[edge->to]
                                                           : 0;
    sums->merged[number] = of_context > 0                  ? weight / of_context
                           : calls_of_context[context] > 0 ? calls / calls_of_context[context]
                                                           : 0;
  }
}

/* What is called out of an edge's callee, as far as it is known now. `merged` is by context. */
static double called_from(const struct sums *sums, const double *merged, uint32_t number)
{
  uint32_t to = out_profile_edge(sums->times->profile, number)->to;
  return sums->share[number] * sums->called[to] + sums->merged[number] * merged[context_of(sums, to)];
}

/* Calls out of variants that are no callee themselves belong to the context. */
static void add_called(struct sums *sums, double *merged, uint32_t from, double time)
{
  if (from == FMT_NONE)
    return;
  if (sums->is_entered[from])
    sums->called[from] += time;
  else
    merged[context_of(sums, from)] += time;
}

/* The part of what an edge's callee calls that is calls of the edge itself. */
static double share_of_itself(const struct sums *sums, uint32_t number)
{
  const struct out_edge *edge = out_profile_edge(sums->times->profile, number);
  if (edge->from == FMT_NONE || context_of(sums, edge->from) != context_of(sums, edge->to))
    return 0;
  if (!sums->is_entered[edge->from])
    return sums->merged[number];
  return edge->from == edge->to ? sums->share[number] : 0;
}

/* One round; the result is by how much the times changed. A call of a function by itself is part of what it is made
 * of: its edge is solved for, so that deep recursion takes no more rounds than other. */
static double go_round(struct sums *sums, double *merged)
{
  const struct out_profile *profile = sums->times->profile;
  double changed = 0;
  for (uint32_t i = 0; i < sums->count; i++) {
    uint32_t number = sums->order[i];
    const struct out_edge *edge = out_profile_edge(profile, number);
    double *inclusive = &sums->times->inclusive[number], before = *inclusive;
    double time = sums->times->own[number] + called_from(sums, merged, number);
    double share = share_of_itself(sums, number);
    if (share < 1)
      time = (time - share * before) / (1 - share);
    *inclusive = time;
    add_called(sums, merged, edge->from, time - before);
    changed += time > before ? time - before : before - time;
  }
  return changed;
}

/* Recursion begins with the recorded times, scaled to the new whole, which is near. */
static void settle(struct sums *sums, double *merged)
{
  const struct out_profile *profile = sums->times->profile;
  double recorded = 0, whole = 0;
  for (uint32_t i = 0; i < sums->count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, sums->order[i]);
    recorded += (double)out_edge_own(profile, edge);
    whole += sums->times->own[sums->order[i]];
  }
  for (uint32_t i = 0; i < sums->count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, sums->order[i]);
    double time = recorded > 0 ? (double)out_edge_total(profile, edge) * (whole / recorded) : 0;
    sums->times->inclusive[sums->order[i]] = time;
    add_called(sums, merged, edge->from, time);
  }
  for (int round = 0; round < ROUNDS_MOST; round++)
    if (go_round(sums, merged) <= whole * CLOSE_ENOUGH)
      break;
}

int out_beside_inclusive(struct out_beside_times *times)
{
  const struct out_profile *profile = times->profile;
  size_t edges = profile->edges.count + 1u, variants = profile->variants.count + 1u,
         contexts = profile->contexts.count + 1u;
  double *merged = calloc(contexts, sizeof *merged), *calls_of_variant = calloc(variants, sizeof *calls_of_variant),
         *calls_of_context = calloc(contexts, sizeof *calls_of_context);
  struct sums sums = {.times = times,
                      .order = calloc(edges, sizeof *sums.order),
                      .share = calloc(edges, sizeof *sums.share),
                      .merged = calloc(edges, sizeof *sums.merged),
                      .called = calloc(variants, sizeof *sums.called),
                      .by_variant = calloc(variants, sizeof *sums.by_variant),
                      .by_context = calloc(contexts, sizeof *sums.by_context),
                      .is_entered = calloc(variants, sizeof *sums.is_entered),
                      .position = calloc(contexts, sizeof *sums.position)};
  bool complete = merged && calls_of_variant && calls_of_context && sums.order && sums.share && sums.merged &&
                  sums.called && sums.by_variant && sums.by_context && sums.is_entered && sums.position;
  int result = complete ? 0 : -ENOMEM;
  if (complete)
    result = put_in_order(&sums);
  if (result == 0) {
    weigh(&sums, sums.share);
    result = out_beside_entered(times, sums.is_entered);
  }
  if (result == 0) {
    find_shares(&sums, calls_of_variant, calls_of_context);
    settle(&sums, merged);
  }
  void *arrays[] = {merged,      calls_of_variant, calls_of_context, sums.order,      sums.share,   sums.merged,
                    sums.called, sums.by_variant,  sums.by_context,  sums.is_entered, sums.position};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
  return result;
}
