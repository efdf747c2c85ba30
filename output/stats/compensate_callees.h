/*
 * What hooks cost of the time with callees.
 */
#ifndef CALLSIG_OUTPUT_STATS_COMPENSATE_CALLEES_H
#define CALLSIG_OUTPUT_STATS_COMPENSATE_CALLEES_H

#include "output/sampling/flow.h"
#include "output/stats/rows.h"

/* Whole parts of fractions, one after the other: what is rounded off one is passed on to the next, so that sums are
 * rounded once. Fractions are made of 1 / 1024: none of their sums lies where rounding turns, whatever their order. */
struct out_rounding {
  double carried;
};
uint64_t out_round_on(struct out_rounding *rounding, double amount, uint64_t most);

/* Fills compensation->all, for which compensation->own is known. 0 or -ENOMEM. */
int out_compensate_callees(const struct out_flow *flow, struct out_compensation *compensation);

#endif
