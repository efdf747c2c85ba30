/*
 * What one edge adds to the row that its calls are in.
 *
 * An edge's counters tell its primitive calls and its cumulative time for several groups, by what counts as the same
 * call around it: FMT_GROUP_* of format/recording.h. Which group a row asks for follows from what rows are by.
 */
#ifndef CALLSIG_OUTPUT_STATS_EDGE_SHARE_H
#define CALLSIG_OUTPUT_STATS_EDGE_SHARE_H

#include "output/stats/rows.h"

/* What one edge adds, in ticks of struct out_grouping.tick. */
struct out_share {
  uint64_t calls, primitive, min, max;
  uint64_t own, cumulative;           /* without what is taken off */
  struct out_subtraction subtraction; /* zero unless compensating */
  bool is_bound;                      /* where rows are joined, some of its calls may lie within others of their row */
  bool is_any; /* there are calls, or frames that a forked child has of its parent's: time without calls */
};

static inline bool out_is_by_callstack(const struct out_grouping *grouping)
{
  return grouping->callstacks && grouping->callstacks->frames > 0;
}

static inline const struct out_callable *out_variant_callable(const struct out_profile *profile,
                                                              const struct out_variant *variant)
{
  return out_profile_callable(profile, out_profile_context(profile, variant->context)->callable);
}

static inline uint32_t out_signature_function(const struct out_profile *profile, uint32_t signature)
{
  return out_profile_layout(profile, out_profile_signature(profile, signature)->layout)->function;
}

/* True of calls below a function that `below` selects which enter again, by recursion, what is around that function:
 * what these calls made in turn is not told apart from the other calls of that context. */
static inline bool out_edge_leaves_subtree(const struct out_profile *profile, const struct out_grouping *grouping,
                                           const struct out_edge *edge)
{
  return grouping->is_subtree && edge->from != FMT_NONE &&
         grouping->depths[out_profile_variant(profile, edge->to)->context] == 0 &&
         grouping->depths[out_profile_variant(profile, edge->from)->context] > 0;
}

/* True when the filters let the edge's calls through. */
bool out_edge_is_selected(const struct out_profile *profile, const struct out_grouping *grouping,
                          const struct out_edge *edge);

/* The group whose outermost activations are the primitive calls of a row with calls into `context`. */
uint32_t out_edge_group(const struct out_profile *profile, const struct out_grouping *grouping,
                        const struct out_context *context);

/* The same for pairs of caller and callee, whatever else rows are by. */
uint32_t out_pair_group(unsigned by);

/* What the edge, which is selected, adds when its primitive calls are those of `group`. */
struct out_share out_edge_share(const struct out_profile *profile, const struct out_grouping *grouping,
                                const struct out_edge *edge, uint32_t group);

#endif
