/*
 * What the hooks themselves cost, taken from the runtime's calibration and the exact counts of calls.
 */
#ifndef CALLSIG_OUTPUT_STATS_COMPENSATE_H
#define CALLSIG_OUTPUT_STATS_COMPENSATE_H

#include "output/stats/rows.h"

/*
 * What hooks cost a call is told by output/sampling/hook_cost.h. A variant's own time holds that of the calls into it
 * and of those out of it; an edge's own time is never made less than nothing, and what it lacks is taken off the other
 * calls of its function. Of the time with callees, the hooks' share is that of the context's whole subtree: everything
 * that was called from there, recursion folded into it. So the own times of all calls still sum to the times of the
 * outermost ones.
 *
 * `only_sampled`: of recordings in which every call was timed, nothing is taken off. 0 or -ENOMEM. Free with
 * out_compensation_free().
 */
int out_compensate(const struct out_profile *profile, bool only_sampled, struct out_compensation *compensation);
void out_compensation_free(struct out_compensation *compensation);

#endif
