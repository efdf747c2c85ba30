/* Computes what the hooks cost of each edge's own time. */
#include "output/stats/compensate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/beside/in_place.h"
#include "output/profile/edge_time.h"
#include "output/sampling/flow.h"
#include "output/sampling/hook_cost.h"
#include "output/stats/compensate_callees.h"
#include "output/stats/edge_share.h"

void out_compensation_free(struct out_compensation *compensation)
{
  free(compensation->own);
  free(compensation->all);
  free(compensation->own_doubt);
  free(compensation->all_doubt);
  *compensation = (struct out_compensation){0};
}

/* Of a tick, in which times are handed to out_round_on(). */
#define FRACTIONS 1024.0

/* What hooks cost more than the own time of edges, and less: ticks. */
struct room {
  double lacking, free;
  bool is_counted; /* of a signature: in its function's */
};

/* What is summed on the way to what each edge's own time loses. */
struct costs {
  const struct out_profile *profile;
  const struct out_flow *flow;
  double *edge;                  /* by edge: what hooks cost its calls' own time, ticks */
  uint32_t *order, count;        /* edges with calls, process by process */
  struct room *of_signature;     /* by signature: of its edges in the process */
  struct room *of_function;      /* by function: of its signatures in the process */
  struct out_rounding *rounding; /* by signature */
};

static uint32_t recording_of(const struct out_profile *profile, const struct out_edge *edge)
{
  return out_profile_thread(profile, edge->thread)->recording;
}

static uint32_t signature_of(const struct out_profile *profile, const struct out_edge *edge)
{
  return out_profile_variant(profile, edge->to)->signature;
}

/* What hooks cost the calls of each edge themselves. */
static void add_inner(struct costs *costs, bool only_sampled, double *outward)
{
  const struct out_profile *profile = costs->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    if (only_sampled && !(out_profile_recording(profile, recording_of(profile, edge))->flags & FMT_REC_SAMPLED))
      continue;
    const struct out_hook_cost cost = out_hook_cost(profile, edge);
    costs->edge[i] = cost.callee;
    outward[i] = cost.caller;
  }
}

/* What its callees' hooks cost a node is known of all calls into it together: an edge takes its part of them. */
static void add_outward(struct costs *costs, const double *outward)
{
  for (uint32_t i = 0; i < costs->flow->ordered; i++) {
    const uint32_t node = costs->flow->order[i];
    const struct out_flow_edges into = out_flow_into(costs->flow, node), out = out_flow_out_of(costs->flow, node);
    double cost = 0, frames = 0;
    for (uint32_t j = 0; j < out.count; j++)
      cost += outward[out.list[j]];
    for (uint32_t j = 0; j < into.count; j++)
      frames += out_edge_frames(costs->profile, out_profile_edge(costs->profile, into.list[j]));
    for (uint32_t j = 0; j < into.count && frames > 0; j++)
      costs->edge[into.list[j]] +=
          cost * (out_edge_frames(costs->profile, out_profile_edge(costs->profile, into.list[j])) / frames);
  }
}

/* The edges with calls, those of one process after those of another. */
static int put_in_order(struct costs *costs)
{
  const struct out_profile *profile = costs->profile;
  uint32_t *next = calloc(profile->recordings.count + 1u, sizeof *next);
  if (!next)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_profile_edge(profile, i)->to != FMT_NONE)
      next[recording_of(profile, out_profile_edge(profile, i))]++;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const uint32_t count = next[i];
    next[i] = costs->count;
    costs->count += count;
  }
  for (uint32_t i = 0; i < profile->edges.count; i++)
    if (out_profile_edge(profile, i)->to != FMT_NONE)
      costs->order[next[recording_of(profile, out_profile_edge(profile, i))]++] = i;
  free(next);
  return 0;
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

static void find_rooms(struct costs *costs, const uint32_t *edges, uint32_t count)
{
  const struct out_profile *profile = costs->profile;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t signature = signature_of(profile, out_profile_edge(profile, edges[i]));
    costs->of_signature[signature] = (struct room){0};
    costs->of_function[out_signature_function(profile, signature)] = (struct room){0};
    costs->rounding[signature] = (struct out_rounding){0};
  }
  for (uint32_t i = 0; i < count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, edges[i]);
    add_room(&costs->of_signature[signature_of(profile, edge)], (double)out_edge_own(profile, edge),
             costs->edge[edges[i]]);
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t signature = signature_of(profile, out_profile_edge(profile, edges[i]));
    struct room *room = &costs->of_signature[signature];
    if (!room->is_counted)
      add_room(&costs->of_function[out_signature_function(profile, signature)], room->free, room->lacking);
    room->is_counted = true;
  }
}

/* Of one process, no edge loses more than it has. What hooks cost beyond that is taken off the other calls with the
 * same signature, and what these have not, off the other calls of the function: so rows do not depend on how calls are
 * spread over edges. */
static void settle_process(struct costs *costs, const uint32_t *edges, uint32_t count, int64_t *taken)
{
  const struct out_profile *profile = costs->profile;
  find_rooms(costs, edges, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, edges[i]);
    const uint32_t signature = signature_of(profile, edge);
    const uint64_t most = out_edge_own(profile, edge);
    const double own = (double)most, cost = costs->edge[edges[i]];
    double wanted = cost < own ? cost : own;
    wanted += (own - wanted) * taken_of(&costs->of_signature[signature]);
    wanted += (own - wanted) * taken_of(&costs->of_function[out_signature_function(profile, signature)]);
    taken[edges[i]] = (int64_t)out_round_on(&costs->rounding[signature], wanted, most);
  }
}

static void settle(struct costs *costs, int64_t *taken)
{
  const struct out_profile *profile = costs->profile;
  for (uint32_t first = 0, end; first < costs->count; first = end) {
    const uint32_t process = recording_of(profile, out_profile_edge(profile, costs->order[first]));
    end = first;
    while (end < costs->count && recording_of(profile, out_profile_edge(profile, costs->order[end])) == process)
      end++;
    settle_process(costs, costs->order + first, end - first, taken);
  }
}

static int find_own(const struct out_flow *flow, bool only_sampled, int64_t *taken)
{
  const struct out_profile *profile = flow->profile;
  const size_t edges = profile->edges.count + 1u, signatures = profile->signatures.count + 1u;
  struct costs costs = {.profile = profile,
                        .flow = flow,
                        .edge = calloc(edges, sizeof *costs.edge),
                        .order = calloc(edges, sizeof *costs.order),
                        .of_signature = calloc(signatures, sizeof *costs.of_signature),
                        .of_function = calloc(profile->functions.count + 1u, sizeof *costs.of_function),
                        .rounding = calloc(signatures, sizeof *costs.rounding)};
  double *outward = calloc(edges, sizeof *outward);
  bool complete = costs.edge && costs.order && costs.of_signature && costs.of_function && costs.rounding && outward;
  int result = complete ? put_in_order(&costs) : -ENOMEM;
  if (result == 0) {
    add_inner(&costs, only_sampled, outward);
    add_outward(&costs, outward);
    settle(&costs, taken);
  }
  void *arrays[] = {costs.edge, costs.order, costs.of_signature, costs.of_function, costs.rounding, outward};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
  return result;
}

/* Where a recording has samples of its own run, own times follow from these. What is rounded off an edge is carried on
 * to the next one with the same signature. */
static void take_in_place(const struct out_beside_times *times, struct out_rounding *rounding,
                          struct out_compensation *compensation)
{
  for (uint32_t i = 0; i < times->profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(times->profile, i);
    if (!out_beside_has(times, edge))
      continue;
    const double fraction = round(times->own[i] * FRACTIONS) / FRACTIONS;
    const uint64_t own = out_round_on(&rounding[signature_of(times->profile, edge)], fraction, UINT64_MAX),
                   all = out_ticks(times->inclusive[i]);
    compensation->own[i] = (int64_t)(out_edge_own(times->profile, edge) - own);
    compensation->all[i] = (int64_t)(out_edge_total(times->profile, edge) - (all < own ? own : all));
  }
}

static int compensate_in_place(struct out_profile *profile, bool only_sampled, struct out_compensation *compensation)
{
  const struct out_in_place_doubts doubts = {compensation->own_doubt, compensation->all_doubt};
  int result = 0;
  for (uint32_t i = 0; i < profile->recordings.count && result == 0; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    if (!out_in_place_timed_run(profile, info) || (only_sampled && !(info->flags & FMT_REC_SAMPLED)))
      continue;
    struct out_beside_times times = {.profile = profile,
                                     .recording = i,
                                     .own = calloc(profile->edges.count + 1u, sizeof *times.own),
                                     .inclusive = calloc(profile->edges.count + 1u, sizeof *times.inclusive)};
    struct out_rounding *rounding = calloc(profile->signatures.count + 1u, sizeof *rounding);
    result = times.own && times.inclusive && rounding ? out_in_place_times(&times, &doubts) : -ENOMEM;
    if (result == 0)
      take_in_place(&times, rounding, compensation);
    free(rounding);
    free(times.own);
    free(times.inclusive);
  }
  return result;
}

int out_compensate(struct out_profile *profile, bool only_sampled, struct out_compensation *compensation)
{
  struct out_flow flow;
  compensation->own = calloc(profile->edges.count + 1u, sizeof *compensation->own);
  compensation->all = calloc(profile->edges.count + 1u, sizeof *compensation->all);
  compensation->own_doubt = calloc(profile->edges.count + 1u, sizeof *compensation->own_doubt);
  compensation->all_doubt = calloc(profile->edges.count + 1u, sizeof *compensation->all_doubt);
  const bool complete = compensation->own && compensation->all && compensation->own_doubt && compensation->all_doubt;
  int result = complete ? out_flow_make(profile, 0, &flow) : -ENOMEM;
  if (result == 0) {
    result = find_own(&flow, only_sampled, compensation->own);
    if (result == 0)
      result = out_compensate_callees(&flow, compensation);
    if (result == 0)
      result = compensate_in_place(profile, only_sampled, compensation);
    out_flow_free(&flow);
  }
  if (result < 0)
    out_compensation_free(compensation);
  return result;
}

bool out_compensate_is_known(const struct out_profile *profile, const struct out_recording_info *info)
{
  return info->hook_inner > 0 || info->hook_outer > 0 || out_in_place_timed_run(profile, info);
}

void out_compensate_put_unknown(struct out_text *text, const struct out_profile *profile,
                                const struct out_recording_info *info)
{
  out_text_printf(text, "%s was recorded without a calibration of its hooks", out_profile_string(profile, info->path));
  if (info->clock == FMT_CLOCK_INJECTED)
    out_text_puts(text, ", as its clock was the program's own");
  else if (info->clock == FMT_CLOCK_CPU)
    out_text_puts(text, ", which earlier versions did not make for CPU time");
  else if (info->clock != FMT_CLOCK_TSC)
    out_text_puts(text, ", which there is by the processor's counter and for CPU time alone");
}
