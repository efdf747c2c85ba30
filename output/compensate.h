/*
 * What the hooks themselves cost, taken from the runtime's calibration and the exact counts of calls.
 */
#ifndef CALLSIG_OUTPUT_COMPENSATE_H
#define CALLSIG_OUTPUT_COMPENSATE_H

#include "rows.h"

/*
 * A call's hooks add header.hook_inner to the call itself and header.hook_outer to its caller. So a variant's own time
 * holds (calls into it) * inner + (calls out of it) * outer, exactly, and what hooks took beyond the fast path, as they
 * measured it. Of the time with callees, the hooks' share is that of the context's whole subtree: everything that was
 * called from there, recursion folded into it.
 *
 * 0 or -ENOMEM. Free with cs_compensation_free().
 */
int cs_compensate(const struct cs_profile *profile, struct cs_compensation *compensation);
void cs_compensation_free(struct cs_compensation *compensation);

#endif
