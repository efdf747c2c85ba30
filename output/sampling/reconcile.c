/* Changes imputed times so that no caller takes less than its callees. */
#include "output/sampling/reconcile.h"

#include <errno.h>

#include "output/profile/edge_time.h"
#include "output/sampling/flow.h"
#include "output/sampling/hook_cost.h"

/* Without recursion one round settles everything: callees before their callers, and callers before their callees. What
 * a round takes off calls back to an outer node, that node lacks in the next. */
enum { ROUNDS = 16 };

/* The hooks of an untimed call take less than those of the timed ones that its time was imputed from. What they did not
 * take, it did not last. */
static void take_off_spared(struct out_flow *flow, uint32_t number)
{
  const struct out_profile *profile = flow->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  struct out_flow_edge *known = &flow->edges[number];
  const struct out_recording_info *info =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  const unsigned __int128 all =
      (unsigned __int128)out_edge_sampling(profile, edge).untimed * out_hooks_spared(info).callee / 1024;
  const uint64_t imputed = known->total - known->least;
  out_flow_change(flow, number, known->total - (all < imputed ? (uint64_t)all : imputed));
}

/* How the edges of a node are changed: those into it and those out of it that lead inwards, which are a graph without
 * circles; or those out of it that recursion leads back to outer nodes, whose time is part of that of the inward ones
 * and says nothing of how much there is, but of a node that is entered in no other way. A call of a node by itself
 * changes nothing. */
enum way { RAISE_INTO, RAISE_BACK, LOWER_INWARDS, LOWER_BACK };

static uint64_t room_of(const struct out_flow *flow, uint32_t number, enum way way)
{
  const struct out_flow_edge *edge = &flow->edges[number];
  if (edge->from == edge->to || out_flow_leads_inwards(flow, edge) != (way == RAISE_INTO || way == LOWER_INWARDS))
    return 0;
  if (way == RAISE_INTO || way == RAISE_BACK)
    return edge->total < OUT_MOST_TICKS ? OUT_MOST_TICKS - edge->total : 0;
  const uint64_t imputed = edge->total - edge->least;
  if (way == LOWER_INWARDS || flow->entered_inwards[edge->to])
    return imputed;
  /* A node that is entered in no other way would lack what is taken off. */
  const __int128 own = flow->entered[edge->to] - flow->called[edge->to];
  return own < (__int128)imputed ? (uint64_t)(own > 0 ? own : 0) : imputed;
}

static double weight_of(const struct out_flow *flow, uint32_t number, enum way way)
{
  return room_of(flow, number, way) > 0 ? flow->edges[number].uncertainty : 0;
}

static double weigh(const struct out_flow *flow, struct out_flow_edges edges, enum way way)
{
  double sum = 0;
  for (uint32_t i = 0; i < edges.count; i++)
    sum += weight_of(flow, edges.list[i], way);
  return sum;
}

static uint64_t change(struct out_flow *flow, uint32_t number, uint64_t wanted, enum way way)
{
  const uint64_t room = room_of(flow, number, way), part = wanted < room ? wanted : room;
  const uint64_t total = flow->edges[number].total;
  out_flow_change(flow, number, way == RAISE_INTO || way == RAISE_BACK ? total + part : total - part);
  return part;
}

/* Changes the edges by `amount` in all, each by how uncertain it is; where one has no room for its part, the others
 * change more. What is left in the end found no room. */
static void spread(struct out_flow *flow, struct out_flow_edges edges, uint64_t amount, enum way way)
{
  enum { PASSES = 4 };
  for (int pass = 0; pass < PASSES && amount > 0; pass++) {
    const double wanted = (double)amount, all = weigh(flow, edges, way);
    for (uint32_t i = 0; all > 0 && i < edges.count && amount > 0; i++) {
      const uint64_t part = out_ticks(wanted * (weight_of(flow, edges.list[i], way) / all));
      amount -= change(flow, edges.list[i], part < amount ? part : amount, way);
    }
  }
  for (uint32_t i = 0; i < edges.count && amount > 0; i++)
    if (weight_of(flow, edges.list[i], way) > 0)
      amount -= change(flow, edges.list[i], amount, way);
}

/* Inner nodes first: where a node lacks time, its own may be what was estimated too low. It gets its part by how
 * uncertain it is beside its callees, and all that they cannot give. */
static void raise_callers(struct out_flow *flow)
{
  for (uint32_t i = flow->ordered; i-- > 0;) {
    const uint32_t node = flow->order[i];
    const uint64_t lacking = out_flow_lacking(flow, node);
    if (lacking == 0)
      continue;
    const struct out_flow_edges into = out_flow_into(flow, node), out = out_flow_out_of(flow, node);
    const enum way way = flow->entered_inwards[node] ? RAISE_INTO : RAISE_BACK;
    const double own = weigh(flow, into, way), called = weigh(flow, out, LOWER_INWARDS);
    if (!(own > 0))
      continue;
    uint64_t possible = 0;
    for (uint32_t j = 0; j < out.count; j++) {
      const uint64_t room = room_of(flow, out.list[j], LOWER_INWARDS);
      possible = room < lacking - possible ? possible + room : lacking;
    }
    uint64_t part = out_ticks((double)lacking * (own / (own + called)));
    part = part > lacking - possible ? part : lacking - possible;
    spread(flow, into, part < lacking ? part : lacking, way);
  }
}

/* Outer nodes first: the callees of a node take no more than it has. */
static void lower_callees(struct out_flow *flow)
{
  for (uint32_t i = 0; i < flow->ordered; i++) {
    const uint32_t node = flow->order[i];
    spread(flow, out_flow_out_of(flow, node), out_flow_lacking(flow, node), LOWER_INWARDS);
  }
}

/* True when every node has enough. */
static bool lower_calls_back(struct out_flow *flow)
{
  bool complete = true;
  for (uint32_t i = 0; i < flow->ordered; i++) {
    const uint64_t lacking = out_flow_lacking(flow, flow->order[i]);
    spread(flow, out_flow_out_of(flow, flow->order[i]), lacking, LOWER_BACK);
    complete = complete && lacking == 0;
  }
  return complete;
}

/* What was measured is right wherever else it does not fit: its callers, inner ones first, took no less, whatever was
 * measured of them. */
static void raise_to_measured(struct out_flow *flow)
{
  for (uint32_t i = flow->ordered; i-- > 0;) {
    const struct out_flow_edges into = out_flow_into(flow, flow->order[i]);
    uint64_t lacking = out_flow_lacking(flow, flow->order[i]);
    for (uint32_t j = 0; j < into.count && lacking > 0; j++)
      lacking -= change(flow, into.list[j], lacking, RAISE_INTO);
  }
}

static bool any_sampled(const struct out_profile *profile, uint32_t first)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to != FMT_NONE && edge->sampling != FMT_NONE &&
        out_profile_thread(profile, edge->thread)->recording >= first)
      return true;
  }
  return false;
}

int out_reconcile(struct out_profile *profile, uint32_t first)
{
  struct out_flow flow;
  if (!any_sampled(profile, first))
    return 0;
  if (out_flow_make(profile, first, &flow) < 0)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (flow.edges[i].uncertainty > 0)
      take_off_spared(&flow, i);
  bool complete = false;
  for (int round = 0; round < ROUNDS && !complete; round++) {
    raise_callers(&flow);
    lower_callees(&flow);
    complete = lower_calls_back(&flow);
  }
  if (!complete)
    raise_to_measured(&flow);
  out_flow_write(&flow);
  out_flow_free(&flow);
  return 0;
}
