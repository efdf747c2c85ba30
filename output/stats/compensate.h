/*
 * What the hooks themselves cost, taken from the runtime's calibration and the exact counts of calls.
 */
#ifndef CALLSIG_OUTPUT_STATS_COMPENSATE_H
#define CALLSIG_OUTPUT_STATS_COMPENSATE_H

#include "output/stats/rows.h"

/*
 * A call's hooks add header.hook_inner to the call itself and header.hook_outer to its caller. Those of a call that is
 * not timed cost header.sample_price less; but its imputed time has hook_inner, so that its caller is left with
 * header.hook_outer less header.sample_price, which may be below 0. So a variant's own time
 * holds (calls into it) * inner + (calls out of it) * outer, exactly, and what hooks took beyond the fast path, as they
 * measured it. Of the time with callees, the hooks' share is that of the context's whole subtree: everything that was
 * called from there, recursion folded into it.
 *
 * 0 or -ENOMEM. Free with out_compensation_free().
 */
int out_compensate(const struct out_profile *profile, struct out_compensation *compensation);
void out_compensation_free(struct out_compensation *compensation);

#endif
