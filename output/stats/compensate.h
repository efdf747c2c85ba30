/*
 * What the hooks themselves cost, taken from the runtime's calibration and the exact counts of calls.
 */
#ifndef CALLSIG_OUTPUT_STATS_COMPENSATE_H
#define CALLSIG_OUTPUT_STATS_COMPENSATE_H

#include "output/stats/rows.h"
#include "output/text/text.h"

/*
 * What hooks cost a call is told by output/sampling/hook_cost.h. A node's own time (output/sampling/flow.h) holds that
 * of the calls into it and of those out of it; an edge's own time is never made less than nothing, and what it lacks is
 * taken off the other calls of its function in the same process. Of the time with callees, the hooks' part is that of
 * the edge's own time and its part of what the calls took that were made from there. Where recursion is folded into an
 * outer call, it is that of the outer call's whole subtree. So the own times of all calls still sum to the times of the
 * outermost ones.
 *
 * All of this is in whole ticks of each edge, so that sums over edges agree however the edges are grouped. What is
 * rounded off an edge is passed on to the next one with the same signature.
 *
 * `only_sampled`: of recordings in which every call was timed, nothing is taken off. 0 or -ENOMEM. Free with
 * out_compensation_free().
 */
int out_compensate(struct out_profile *profile, bool only_sampled, struct out_compensation *compensation);
void out_compensation_free(struct out_compensation *compensation);

/* Is it known what hooks took of the times of a recording, by its calibration or by samples of its run? */
bool out_compensate_is_known(const struct out_profile *profile, const struct out_recording_info *info);

/* Says of a recording without a calibration that it has none, and why. */
void out_compensate_put_unknown(struct out_text *text, const struct out_profile *profile,
                                const struct out_recording_info *info);

#endif
