/* Makes the flow of time of a profile's edges and nodes, changes it, and writes it back. */
#include "output/sampling/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "output/profile/edge_time.h"
#include "output/sampling/sampling_error.h"

/* The square of more ticks than any run has. */
#define UNKNOWN 0x1p126

/* Where nothing is known of how far imputed times may be off, everything else is surer; and they may always be off. */
static double uncertainty_of(const struct out_profile *profile, const struct out_edge *edge, uint64_t imputed)
{
  const double least = 1 + (double)imputed * 1e-6 * (double)imputed;
  double square = out_recorded_error(profile, edge, (double)out_edge_sampling(profile, edge).untimed, 0);
  if (!(square >= 0))
    square = UNKNOWN;
  return square > least ? square : least;
}

/* The time that was imputed to calls of the edge. What is open was measured in part: of such edges it is told by the
 * mean of the timed calls. */
static uint64_t imputed_of(const struct out_profile *profile, const struct out_edge *edge)
{
  if (edge->sampling == FMT_NONE)
    return 0;
  const struct out_sampling *sampling = out_profile_sampling(profile, edge->sampling);
  const uint64_t total = out_edge_total(profile, edge), untimed = out_edge_sampling(profile, edge).untimed;
  const struct out_recursion none = {0}, *recursion = edge->recursion == FMT_NONE
                                                          ? &none
                                                          : out_profile_recursion(profile, edge->recursion);
  const uint64_t timed = sampling->timed_total + recursion->apart_total, open = recursion->open;
  const uint64_t most = total > timed && untimed > 0 ? total - timed : 0;
  if (open == 0 || most == 0)
    return most;
  double mean = sampling->timed > 0 ? (double)sampling->timed_total / (double)sampling->timed : 0;
  double likely = mean * (double)untimed;
  return likely < (double)most ? (uint64_t)likely : most;
}

static bool has_calls(const struct out_profile *profile, uint32_t first, const struct out_edge *edge)
{
  return edge->to != FMT_NONE && out_profile_thread(profile, edge->thread)->recording >= first;
}

/* A context has one node when one of its variants makes calls and has none: whoever made them is any of the others. So
 * it is where calls count by what they returned, of which what they called does not know. */
static void find_merged(const struct out_profile *profile, uint32_t first, const bool *is_entered, bool *is_merged)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (has_calls(profile, first, edge) && edge->from != FMT_NONE && !is_entered[edge->from])
      is_merged[out_profile_variant(profile, edge->from)->context] = true;
    if (has_calls(profile, first, edge) && edge->is_returned)
      is_merged[out_profile_variant(profile, edge->to)->context] = true;
  }
}

static uint32_t node_of(const struct out_profile *profile, const bool *is_merged, uint32_t variant)
{
  if (variant == FMT_NONE)
    return FMT_NONE;
  uint32_t context = out_profile_variant(profile, variant)->context;
  return is_merged[context] ? profile->variants.count + context : variant;
}

static void read_edge(struct out_flow *flow, const bool *is_merged, uint32_t number)
{
  const struct out_profile *profile = flow->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  const uint64_t total = out_edge_total(profile, edge), imputed = imputed_of(profile, edge);
  const bool is_estimate = edge->sampling != FMT_NONE && out_edge_sampling(profile, edge).untimed > 0;
  struct out_flow_edge *added = &flow->edges[number];
  *added = (struct out_flow_edge){.from = node_of(profile, is_merged, edge->from),
                                  .to = node_of(profile, is_merged, edge->to),
                                  .recorded = total,
                                  .total = total,
                                  .least = total - imputed,
                                  .uncertainty = is_estimate ? uncertainty_of(profile, edge, imputed) : 0};
  flow->entered[added->to] += total;
  flow->called[added->to] += edge->children;
  flow->first_in[added->to + 1]++;
  if (added->from != FMT_NONE)
    flow->first_out[added->from + 1]++;
}

static void fill_lists(struct out_flow *flow, uint32_t first, uint32_t *next_in, uint32_t *next_out)
{
  for (uint32_t node = 0; node < flow->nodes; node++) {
    next_in[node] = flow->first_in[node + 1] += flow->first_in[node];
    next_out[node] = flow->first_out[node + 1] += flow->first_out[node];
  }
  for (uint32_t i = flow->profile->edges.count; i-- > 0;) {
    if (!has_calls(flow->profile, first, out_profile_edge(flow->profile, i)))
      continue;
    const struct out_flow_edge *edge = &flow->edges[i];
    flow->in[--next_in[edge->to]] = i;
    if (edge->from != FMT_NONE)
      flow->out[--next_out[edge->from]] = i;
  }
}

/* The rank of a node: its context's place in the preorder, where every parent comes before its children. */
struct rank {
  uint32_t place, node;
};

static int compare_ranks(const void *left, const void *right)
{
  const struct rank *a = left, *b = right;
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

static int put_in_order(struct out_flow *flow)
{
  const struct out_profile *profile = flow->profile;
  struct rank *ranks = calloc(flow->nodes + 1u, sizeof *ranks);
  uint32_t *place = calloc(profile->contexts.count + 1u, sizeof *place);
  for (uint32_t i = 0; place && i < profile->preorder.count; i++)
    place[*(uint32_t *)base_vector_at(&profile->preorder, i)] = i;
  for (uint32_t node = 0; ranks && place && node < flow->nodes; node++) {
    if (out_flow_into(flow, node).count == 0)
      continue;
    uint32_t context =
        node < profile->variants.count ? out_profile_variant(profile, node)->context : node - profile->variants.count;
    ranks[flow->ordered++] = (struct rank){.place = place[context], .node = node};
  }
  if (ranks && place) {
    qsort(ranks, flow->ordered, sizeof *ranks, compare_ranks);
    for (uint32_t i = 0; i < flow->ordered; i++) {
      flow->order[i] = ranks[i].node;
      flow->position[ranks[i].node] = i;
    }
  }
  bool complete = ranks && place;
  free(ranks);
  free(place);
  return complete ? 0 : -ENOMEM;
}

static int read_edges(struct out_flow *flow, uint32_t first)
{
  const struct out_profile *profile = flow->profile;
  bool *is_entered = calloc(profile->variants.count + 1u, sizeof *is_entered),
       *is_merged = calloc(profile->contexts.count + 1u, sizeof *is_merged);
  uint32_t *next_in = calloc(flow->nodes + 1u, sizeof *next_in), *next_out = calloc(flow->nodes + 1u, sizeof *next_out);
  bool complete = is_entered && is_merged && next_in && next_out;
  for (uint32_t i = 0; complete && i < profile->edges.count; i++)
    if (has_calls(profile, first, out_profile_edge(profile, i)))
      is_entered[out_profile_edge(profile, i)->to] = true;
  if (complete) {
    find_merged(profile, first, is_entered, is_merged);
    for (uint32_t i = 0; i < profile->edges.count; i++)
      if (has_calls(profile, first, out_profile_edge(profile, i)))
        read_edge(flow, is_merged, i);
    fill_lists(flow, first, next_in, next_out);
  }
  free(is_entered);
  free(is_merged);
  free(next_in);
  free(next_out);
  return complete ? put_in_order(flow) : -ENOMEM;
}

bool out_flow_leads_inwards(const struct out_flow *flow, const struct out_flow_edge *edge)
{
  return edge->from == FMT_NONE || (edge->from != edge->to && flow->position[edge->from] < flow->position[edge->to]);
}

static void find_entered(struct out_flow *flow)
{
  for (uint32_t i = 0; i < flow->ordered; i++) {
    const struct out_flow_edges into = out_flow_into(flow, flow->order[i]);
    for (uint32_t j = 0; j < into.count; j++)
      if (out_flow_leads_inwards(flow, &flow->edges[into.list[j]]))
        flow->entered_inwards[flow->order[i]] = true;
  }
}

int out_flow_make(struct out_profile *profile, uint32_t first, struct out_flow *flow)
{
  const uint32_t nodes = profile->variants.count + profile->contexts.count;
  const size_t edges = profile->edges.count + 1u;
  *flow = (struct out_flow){.profile = profile,
                            .nodes = nodes,
                            .edges = calloc(edges, sizeof *flow->edges),
                            .entered = calloc(nodes + 1u, sizeof *flow->entered),
                            .called = calloc(nodes + 1u, sizeof *flow->called),
                            .order = calloc(nodes + 1u, sizeof *flow->order),
                            .position = calloc(nodes + 1u, sizeof *flow->position),
                            .entered_inwards = calloc(nodes + 1u, sizeof *flow->entered_inwards),
                            .first_in = calloc(nodes + 2u, sizeof *flow->first_in),
                            .first_out = calloc(nodes + 2u, sizeof *flow->first_out),
                            .in = calloc(edges, sizeof *flow->in),
                            .out = calloc(edges, sizeof *flow->out)};
  bool complete = flow->edges && flow->entered && flow->called && flow->order && flow->position && flow->first_in &&
                  flow->first_out && flow->in && flow->out && flow->entered_inwards;
  int result = complete ? read_edges(flow, first) : -ENOMEM;
  if (result == 0)
    find_entered(flow);
  else
    out_flow_free(flow);
  return result;
}

void out_flow_free(struct out_flow *flow)
{
  void *arrays[] = {flow->edges,    flow->entered,   flow->called, flow->order, flow->position,
                    flow->first_in, flow->first_out, flow->in,     flow->out,   flow->entered_inwards};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
  *flow = (struct out_flow){0};
}

uint64_t out_flow_lacking(const struct out_flow *flow, uint32_t node)
{
  __int128 lacking = flow->called[node] - flow->entered[node];
  return lacking <= 0 ? 0 : lacking < UINT64_MAX ? (uint64_t)lacking : UINT64_MAX;
}

void out_flow_change(struct out_flow *flow, uint32_t number, uint64_t total)
{
  struct out_flow_edge *edge = &flow->edges[number];
  const __int128 change = (__int128)total - edge->total;
  edge->total = total;
  flow->entered[edge->to] += change;
  if (edge->from != FMT_NONE)
    flow->called[edge->from] += change;
}

/* Spreads the time of the calls that a node makes over the edges into it: each keeps what was read, but no more than
 * its own time; what is then to be given or taken goes by what each has room for, or has. */
static void write_children(struct out_flow *flow, uint32_t node)
{
  const struct out_flow_edges into = out_flow_into(flow, node);
  __int128 left = flow->called[node];
  __int128 room = 0, given = 0;
  for (uint32_t i = 0; i < into.count; i++) {
    struct out_edge *edge = out_profile_edge(flow->profile, into.list[i]);
    const uint64_t total = flow->edges[into.list[i]].total;
    edge->children = edge->children < total ? edge->children : total;
    room += total - edge->children;
    given += edge->children;
  }
  left -= given;
  for (uint32_t i = 0; i < into.count && left != 0; i++) {
    struct out_edge *edge = out_profile_edge(flow->profile, into.list[i]);
    const uint64_t free_time = flow->edges[into.list[i]].total - edge->children, has = edge->children;
    const uint64_t most = left > 0 ? free_time : has;
    const __int128 all = left > 0 ? room : given;
    if (most == 0)
      continue;
    const __int128 wanted = left > 0 ? left : -left;
    __int128 part = wanted < all ? (__int128)((long double)wanted * ((long double)most / (long double)all)) : most;
    /* What rounding leaves goes to the last. */
    if (all == (__int128)most)
      part = wanted;
    part = part < most ? part : most;
    edge->children = left > 0 ? edge->children + (uint64_t)part : edge->children - (uint64_t)part;
    left -= left > 0 ? part : -part;
    room -= free_time;
    given -= has;
  }
}

void out_flow_write(struct out_flow *flow)
{
  for (uint32_t i = 0; i < flow->ordered; i++) {
    const uint32_t node = flow->order[i];
    write_children(flow, node);
    const struct out_flow_edges into = out_flow_into(flow, node);
    for (uint32_t j = 0; j < into.count; j++) {
      const struct out_flow_edge *edge = &flow->edges[into.list[j]];
      if (edge->total != edge->recorded)
        out_edge_set_total(flow->profile, out_profile_edge(flow->profile, into.list[j]), (double)edge->total);
    }
  }
}
