/* Tells of edges how many calls were timed, and gives them other times. */
#include "output/profile/edge_time.h"

struct out_edge_sampling out_edge_sampling(const struct out_profile *profile, const struct out_edge *edge)
{
  const uint64_t calls = out_edge_calls(profile, edge);
  const uint64_t open = edge->recursion == FMT_NONE ? 0 : out_profile_recursion(profile, edge->recursion)->open;
  const uint64_t ended = calls > open ? calls - open : 0;
  const uint64_t apart = edge->recursion == FMT_NONE ? 0 : out_profile_recursion(profile, edge->recursion)->apart;
  uint64_t timed = edge->sampling == FMT_NONE ? ended : out_profile_sampling(profile, edge->sampling)->timed + apart;
  uint64_t untimed = ended > timed ? ended - timed : 0;
  return (struct out_edge_sampling){.untimed = untimed, .timed = calls - untimed};
}

uint64_t out_ticks(double ticks)
{
  return ticks >= (double)OUT_MOST_TICKS ? OUT_MOST_TICKS : ticks > 0 ? (uint64_t)(ticks + 0.5) : 0;
}

/* What was timed apart keeps its time: it was measured. What there is beside it in `part`, of which it is a part of its
 * own, is multiplied. */
static double change(uint64_t part, uint64_t *apart, double factor)
{
  const uint64_t kept = part < *apart ? part : *apart;
  *apart -= kept;
  return (double)kept + (double)(part - kept) * factor;
}

/* The same for an edge with calls that were timed apart. They are the outermost ones of the edge: in those of any group
 * are no others, or those others are the same. */
static bool set_others(const struct out_edge *edge, struct out_recursion *recursion, double time)
{
  const double others = (double)edge->total + (double)recursion->total - (double)recursion->apart_total;
  const double wanted = time - (double)recursion->apart_total;
  if (!(others > 0) || wanted < 0 || recursion->apart == 0)
    return false;
  const double factor = wanted / others;
  uint64_t left = recursion->apart_total;
  const double plain = change(edge->total, &left, factor);
  for (int group = 0; group < FMT_GROUP_COUNT; group++) {
    uint64_t apart = left;
    recursion->cumulative[group] = out_ticks(change(recursion->cumulative[group], &apart, factor));
  }
  recursion->total = out_ticks(time - plain);
  return true;
}

/* Of an edge that took no time, the calls under recursion get their part by their number. */
static void set_recursion(const struct out_edge *edge, struct out_recursion *recursion, double time)
{
  if (set_others(edge, recursion, time))
    return;
  double recorded = (double)edge->total + (double)recursion->total;
  double calls = (double)edge->calls + (double)recursion->calls;
  double part = recorded > 0 ? (double)recursion->total / recorded : calls > 0 ? (double)recursion->calls / calls : 0;
  double factor = recorded > 0 ? time / recorded : 0;
  for (int group = 0; group < FMT_GROUP_COUNT; group++) {
    double primitive = recursion->calls > 0 ? (double)recursion->primitive[group] / (double)recursion->calls : 0;
    recursion->cumulative[group] =
        recorded > 0 ? out_ticks((double)recursion->cumulative[group] * factor) : out_ticks(time * part * primitive);
  }
  recursion->total = out_ticks(time * part);
}

void out_edge_set_total(struct out_profile *profile, struct out_edge *edge, double time)
{
  uint64_t under_recursion = 0;
  if (edge->recursion != FMT_NONE) {
    struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
    set_recursion(edge, recursion, time);
    under_recursion = recursion->total;
  }
  uint64_t total = out_ticks(time);
  edge->total = total > under_recursion ? total - under_recursion : 0;
}
