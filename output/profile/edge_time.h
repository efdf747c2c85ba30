/*
 * Calls and time of one edge, with those that were made while recursion was open.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_EDGE_TIME_H
#define CALLSIG_OUTPUT_PROFILE_EDGE_TIME_H

#include "output/profile/profile.h"

static inline uint64_t out_edge_calls(const struct out_profile *profile, const struct out_edge *edge)
{
  return edge->calls + (edge->recursion == FMT_NONE ? 0 : out_profile_recursion(profile, edge->recursion)->calls);
}

/* By what a cost is split among edges: their calls, and frames that are none. */
static inline double out_edge_frames(const struct out_profile *profile, const struct out_edge *edge)
{
  return (double)out_edge_calls(profile, edge) + (double)edge->inherited;
}

/* Do the edge's calls lead back to a context that is around them? */
static inline bool out_edge_is_back(const struct out_profile *profile, const struct out_edge *edge)
{
  if (edge->from == FMT_NONE)
    return false;
  const struct out_variant *from = out_profile_variant(profile, edge->from),
                           *to = out_profile_variant(profile, edge->to);
  return out_profile_context(profile, to->context)->parent != from->context;
}

/* How the times of the edge's calls were come by. */
struct out_edge_sampling {
  uint64_t untimed; /* calls that count with a time of others */
  uint64_t timed;   /* all others, those that are open among them */
};
struct out_edge_sampling out_edge_sampling(const struct out_profile *profile, const struct out_edge *edge);

/* Ticks, with callees. */
static inline uint64_t out_edge_total(const struct out_profile *profile, const struct out_edge *edge)
{
  return edge->total + (edge->recursion == FMT_NONE ? 0 : out_profile_recursion(profile, edge->recursion)->total);
}

/* Ticks without callees; 0 where these took more. */
static inline uint64_t out_edge_own(const struct out_profile *profile, const struct out_edge *edge)
{
  uint64_t total = out_edge_total(profile, edge);
  return total > edge->children ? total - edge->children : 0;
}

/* Gives the edge another time with callees. What was counted under recursion keeps its part of it, and each group its
 * part of that. */
void out_edge_set_total(struct out_profile *profile, struct out_edge *edge, double time);

/* More ticks than these are no time of any run: hostile recordings. */
#define OUT_MOST_TICKS (UINT64_C(1) << 62)

/* Whole ticks, at most OUT_MOST_TICKS. */
uint64_t out_ticks(double ticks);

#endif
