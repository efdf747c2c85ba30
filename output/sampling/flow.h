/*
 * Time as it flows through the trees of calls: into a node by the calls of it, out of it by the calls that it makes.
 * What stays is the node's own time, which is below 0 where imputed times do not fit together.
 *
 * A node is a variant; or a context with all its variants, where a caller's signature was merged, so that nobody knows
 * which of them made a call.
 */
#ifndef CALLSIG_OUTPUT_SAMPLING_FLOW_H
#define CALLSIG_OUTPUT_SAMPLING_FLOW_H

#include "output/profile/profile.h"

/* What is known of an edge's time, ticks. */
struct out_flow_edge {
  uint32_t from, to;  /* nodes; FMT_NONE: outside of the trees */
  uint64_t recorded;  /* as it was read */
  uint64_t total;     /* as it is now */
  uint64_t least;     /* what was measured of it: it is never made less */
  double uncertainty; /* the square of how far the rest may be off; 0: all was measured */
};

/* Edges of one node. */
struct out_flow_edges {
  const uint32_t *list;
  uint32_t count;
};

struct out_flow {
  struct out_profile *profile;
  struct out_flow_edge *edges; /* by edge; only those that lead to calls in the recordings are used */
  __int128 *entered, *called;  /* by node: time of the calls into it, and of those that they make */
  uint32_t nodes;
  uint32_t *order, ordered; /* nodes with calls, callers before callees but for recursion */
  uint32_t *position;       /* by node: in `order` */
  bool *entered_inwards;    /* by node: not by recursion alone */
  /* By node n, lists[first[n]] to lists[first[n + 1]]: edges into it; and the same of edges out of it. */
  uint32_t *first_in, *first_out, *in, *out;
};

/* Of the edges of recordings from number `first` on. 0 or -ENOMEM; free with out_flow_free(). */
int out_flow_make(struct out_profile *profile, uint32_t first, struct out_flow *flow);
void out_flow_free(struct out_flow *flow);

static inline struct out_flow_edges out_flow_into(const struct out_flow *flow, uint32_t node)
{
  return (struct out_flow_edges){flow->in + flow->first_in[node], flow->first_in[node + 1] - flow->first_in[node]};
}

static inline struct out_flow_edges out_flow_out_of(const struct out_flow *flow, uint32_t node)
{
  return (struct out_flow_edges){flow->out + flow->first_out[node], flow->first_out[node + 1] - flow->first_out[node]};
}

/* Is the call none of recursion? Such edges are a graph without circles. */
bool out_flow_leads_inwards(const struct out_flow *flow, const struct out_flow_edge *edge);

/* By how much the calls that the node makes took longer than the node itself; 0 where they did not. */
uint64_t out_flow_lacking(const struct out_flow *flow, uint32_t node);

/* Gives the edge another time, and the nodes at its ends what follows from that. */
void out_flow_change(struct out_flow *flow, uint32_t edge, uint64_t total);

/* The times into the profile. Of the edges into a node, those whose callees took more than themselves give up that
 * first: what their calls called is known of all of them together. */
void out_flow_write(struct out_flow *flow);

#endif
